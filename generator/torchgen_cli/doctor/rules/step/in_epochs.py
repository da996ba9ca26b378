"""Schedules whose drops are counted in epochs, as their numbers tell."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import argument, keyword, last_name, mentions, walk
from ..shared.flag_readers import flag_names

EPOCHS = re.compile(r"^epochs$|^(n|nb|nr|num|max|total|train|training)_?epochs?$", re.I)
FEW = 0.5  # a rate that is multiplied by more than this may well fall every few batches


def drops_within_epochs(module: Module, call: ast.Call) -> bool:
    """Whether all drops come at numbers below that of the epochs, and each counts for much."""
    given = argument(call, 1, "milestones") or keyword(call, "step_size")
    if given is not None and is_part_of_epochs(given):
        return True
    places = numbers(module, given)
    epochs = [one for value in epochs_of(module) for one in literal(value)]
    if not places or not epochs or min(places) < 2 or max(places) >= min(epochs):
        return False
    factor = argument(call, 2, "gamma")
    factors = numbers(module, factor) if factor is not None else [0.1]
    return bool(factors) and max(factors) <= FEW


def is_part_of_epochs(node: ast.expr) -> bool:
    """Whether it is said to be in epochs: `epochs // 3`, `args.decay_epochs`."""
    if not mentions(node, "epoch") or mentions(node, "per", "iter", "step", "batch", "loader"):
        return False
    return not any(  # epochs * updates
        (
            isinstance(one, ast.BinOp)
            and not any(isinstance(side, ast.Constant) for side in (one.left, one.right))
        )
        or (isinstance(one, ast.Call) and last_name(one.func) not in ("int", "round"))
        for one in walk(node)
    )


def numbers(module: Module, node: ast.expr | None) -> list[float]:
    """The numbers that a value is seen to be: written here, or those of the setting it reads."""
    if node is None:
        return []
    name, scope = last_name(node), module.function(node)
    values = [node] if not name else module.value_in(node, scope) or settings(module, name)
    return [one for value in values for one in literal(value)]


def literal(value: ast.expr) -> list[float]:
    """A number, or those of a list, that stand in the code."""
    each = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    found = [one.value for one in each if isinstance(one, ast.Constant)]
    plain = [one for one in found if isinstance(one, int | float) and not isinstance(one, bool)]
    return plain if len(plain) == len(each) else []


def settings(module: Module, name: str) -> Iterator[ast.expr]:
    """The values of a setting in the program: of attributes of that name, and of flags."""
    for other in module.project.near(module):
        for target, statements in other.assigned.items():
            if target.rpartition(".")[2] == name:
                yield from (one.value for one in statements)
        for call in other.calls.get("add_argument", ()):
            default = keyword(call, "default")
            if default is not None and name in flag_names(call):
                yield default


def epochs_of(module: Module) -> Iterator[ast.expr]:
    """What the number of epochs may be: of settings of such a name, or of a loop of the file."""
    for other in module.project.near(module):
        for target, statements in other.assigned.items():
            if EPOCHS.match(target.rpartition(".")[2]):
                yield from (one.value for one in statements)
        for call in other.calls.get("add_argument", ()):
            default = keyword(call, "default")
            if default is not None and any(map(EPOCHS.match, flag_names(call))):
                yield default
    for loop in module.loops:
        if not isinstance(loop, ast.For) or "epoch" not in last_name(loop.target):
            continue
        if isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "range":
            yield from loop.iter.args[-1:]
