"""Epochs at the end of a run that are trained and never saved, by the numbers of the program."""

import ast
import re
from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, Function, last_name, own_calls, written
from ..shared.default_numbers import numbers
from ..shared.loops import is_backward
from ..shared.states import plain_saves
from ..shared.truth import Known, leaves, true_with

SAVING = re.compile(r"save|checkpoint|ckpt|snapshot|export|stopp", re.I)
# what is saved, and is no weights
OTHERS = re.compile(r"fig|image|img|imsave|plot|debug|sample|txt|result|graph|scalar|config", re.I)
NO_WEIGHTS = ("np", "numpy", "plt", "sio", "scipy", "torchvision", "imageio", "vutils")


class Conditional(NamedTuple):
    """A condition that must be true, or false, for a place to be reached."""

    test: ast.expr
    wanted: bool


class Lost(NamedTuple):
    """What is lost at the end of a run."""

    save: ast.Call
    passes: int
    last: int


def lost_passes(module: Module) -> Iterator[Lost]:
    """Where the last passes of a loop that trains are surely not saved, though others are."""
    for loop in module.loops:
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        ends = counted(loop.iter)
        within = [one for one in own_calls(loop) if is_saving(module, one)] if ends else []
        saved = [one for one in within if keeps_model(module, one)]
        if not saved or any(next(module.loops_around(one)) is not loop for one in saved):
            continue
        asked = [conditions(module, loop, one) for one in within]
        if not all(asked) or saved_afterwards(module, loop):
            continue
        lost = fewest(module, loop, ends, asked)
        if lost and module.project.reaches(module, loop, is_backward):
            yield Lost(saved[0], *lost)


def counted(node: ast.expr) -> list[ast.expr]:
    """The arguments of `range` in what a loop goes through: `tqdm(range(epochs))`."""
    while isinstance(node, ast.Call) and last_name(node.func) in ("tqdm", "track") and node.args:
        node = node.args[0]
    known = isinstance(node, ast.Call) and last_name(node.func) in ("range", "trange")
    return node.args[:2] if isinstance(node, ast.Call) and known and len(node.args) < 3 else []


def is_saving(module: Module, call: ast.Call) -> bool:
    """Whether a call may save weights, by its name or by what it calls."""
    if last_name(call.func) in ("train", "eval") and not any(
        not isinstance(one, ast.Constant) for one in call.args
    ):
        return False  # model.train()
    return names_weights(call) or any(
        comes_to_weights(*one) for one in module.project.resolve(module, call)
    )


@kept
def comes_to_weights(module: Module, function: Function) -> bool:
    """Whether a function may save weights, by the name of what it calls."""
    return module.project.reaches(module, function, names_weights)


def names_weights(node: ast.AST) -> bool:
    """Whether it is a call that may save weights, by its name."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    if not SAVING.search(name) or OTHERS.search(name) or not isinstance(node, ast.Call):
        return False
    owner = written(node.func).partition(".")[0]
    return owner not in NO_WEIGHTS and not name.lower().startswith(("load", "_load"))


def keeps_model(module: Module, call: ast.Call) -> bool:
    """Whether a call saves weights: `torch.save`, or a function of the project that saves."""
    if call in plain_saves(module):
        return True
    named = names_weights(call)
    found = module.project.resolve(module, call)
    return bool(found) and all(
        save is not call and (named or isinstance(other.parents[other.statement(save)], FUNCTIONS))
        for other, function in found
        for save in (own_saves(other, function) or [call])
    )


def own_saves(module: Module, function: ast.AST) -> list[ast.Call]:
    """The calls of `torch.save` in a function."""
    return [one for one in plain_saves(module) if module.function(one) is function]


def conditions(module: Module, loop: ast.AST, call: ast.Call) -> list[Conditional]:
    """The conditions between a loop and a call in it."""
    found: list[Conditional] = []
    inner: ast.AST = call
    for around in module.ancestors(call):
        if around is loop:
            break
        if isinstance(around, ast.If) and inner is not around.test:
            found.append(Conditional(around.test, any(one is inner for one in around.body)))
        inner = around
    return found


def saved_afterwards(module: Module, loop: ast.For, depth: int = 3) -> bool:
    """Whether something else may save behind a loop: in its function, or in those that call it."""
    pending: list[tuple[Module, ast.AST, int]] = [(module, loop, depth)]
    seen: set[ast.AST] = set()
    for where, place, left in pending:  # it grows
        scope = where.function(place)
        if scope in seen:
            continue
        seen.add(scope)
        again = [one for one in where.loops_around(place) if one is not place]
        begin = getattr(again[-1], "lineno", 0) if again else end_of(place)
        inside = set(own_calls(place))
        for one in own_calls(scope):
            later = one.lineno > begin and one not in inside and one is not place
            if later and not is_handled(where, one) and is_saving(where, one):
                return True
        callers = where.project.calls_of(where, scope) if left else ()
        pending += [(other, call, left - 1) for other, call in callers]
    return False


def end_of(node: ast.AST) -> int:
    """The number of the last line of a node."""
    return getattr(node, "end_lineno", None) or 0


def is_handled(module: Module, call: ast.Call) -> bool:
    """Whether it is reached after an error or an interruption only."""
    return any(isinstance(one, ast.ExceptHandler) for one in module.ancestors(call))


def fewest(
    module: Module, loop: ast.For, ends: list[ast.expr], asked: list[list[Conditional]]
) -> tuple[int, int] | None:
    """(how many passes are lost at least, of how many) with any of the known numbers."""
    target = written(loop.target)
    parts = {ast.unparse(one): one for test in asked for c in test for one in leaves(c.test)}
    parts |= {ast.unparse(ends[-1]): ends[-1]}
    parts.pop(target, None)
    found = {text: numbers(module, one) for text, one in parts.items()}
    known = {text: sorted(values) for text, values in found.items() if values}
    if ast.unparse(ends[-1]) not in known:
        return None
    results = []
    for values in islice(product(*known.values()), 100):
        given = dict(zip(known, values, strict=True))
        stop = given[ast.unparse(ends[-1])]
        if stop < 2:
            continue  # a number to begin with, before a configuration is read
        results.append((lost_with(asked, target, given, stop), stop))
        if not results[-1][0]:
            return None
    return min(results) if results else None


def lost_with(asked: list[list[Conditional]], target: str, given: Known, stop: int) -> int:
    """How many passes before the end are behind the last one that is saved; 0 if none is."""
    for number in range(stop - 1, max(-1, stop - 100_000), -1):
        reached = [saved_in(one, {**given, target: number}) for one in asked]
        if any(one is None for one in reached):
            return 0
        if any(reached):
            return stop - 1 - number
    return 0


def saved_in(asked: list[Conditional], known: Known) -> bool | None:
    """Whether all conditions hold; None where that is not known."""
    held = []
    for one in asked:
        truth = true_with(one.test, known)
        held.append(None if truth is None else truth == one.wanted)
    return False if False in held else None if None in held else True
