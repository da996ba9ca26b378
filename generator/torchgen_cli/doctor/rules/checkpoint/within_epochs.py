"""Checkpoints that hang on the number of batches in an epoch."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import (
    LOOPS,
    Loop,
    is_constant,
    last_name,
    mentions,
    own_nodes,
    walk,
    written,
)
from ..shared.states import saves
from .checkpoint import SAVING
from .last_epochs import saved_elsewhere


@rule(
    "TG621",
    "whether the weights are saved depends on the batches per epoch",
    why="""The only save runs every so many batches, and the count restarts in each epoch: with
    fewer batches nothing is ever saved, and with more the training on the last batches is lost.""",
    remedy="also save after each epoch, or after the loop",
    source=SAVING,
    bad="""
import torch


def fit(model, loader, epochs, every, step):
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            step(model, batch)
            if (i + 1) % every == 0:
                torch.save(model.state_dict(), f"{epoch}-{i}.pt")  # <--
""",
    good="""
import torch


def fit(model, loader, epochs, step):
    for epoch in range(epochs):
        for batch in loader:
            step(model, batch)
        torch.save(model.state_dict(), f"{epoch}.pt")
""",
    severity=Severity.WARNING,
)
def within_an_epoch(module: Module) -> Iterator[ast.AST]:
    own = list(saves(module))
    if not own or saved_elsewhere(module):
        return
    call = own[0]
    condition = next((one for one in module.ancestors(call) if isinstance(one, ast.If)), None)
    if condition is None or any(condition not in module.ancestors(other) for other in own):
        return
    inside = set(walk(condition))
    if any("save" in name.lower() for name in keeps(module, inside)):
        return
    for test in (one.test for one in module.ancestors(call) if isinstance(one, ast.If)):
        count = every_few_batches(module, test)
        if count is not None and starts_anew(module, count, call):
            yield call
            return


def keeps(module: Module, inside: set[ast.AST]) -> Iterator[str]:
    """The names of what else may write weights: methods that are called outside of a place."""
    for name, calls in module.calls.items():
        if any(one not in inside for one in calls):
            yield name


def every_few_batches(module: Module, test: ast.expr) -> ast.Name | None:
    """The counter in `i % every == 0`, which may stand beside other demands; else None."""
    parts = [test]
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.Or):
            return None
        parts = test.values
    for part in parts:
        left = part.left if isinstance(part, ast.Compare) else None
        if not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod):
            continue
        names = [node for node in walk(left.left) if isinstance(node, ast.Name)]
        if len(names) == 1 and not of_the_loader(module, left.right):
            return names[0]
    return None


def of_the_loader(module: Module, divisor: ast.expr) -> bool:
    """Whether a number follows from how many batches there are, or is one."""
    values = [divisor, *module.value_in(divisor, module.tree)]
    return is_constant(divisor, 1) or any(mentions(one, "len", "per_epoch") for one in values)


def starts_anew(module: Module, count: ast.Name, call: ast.Call) -> bool:
    """Whether a name counts the batches of one epoch, in a loop in that over the epochs."""
    loops = list(module.loops_around(call))
    if len(loops) != 2:
        return False
    batches, epochs = loops
    if isinstance(batches, ast.For):
        made = batches.iter
        numbered = isinstance(made, ast.Call) and last_name(made.func) == "enumerate"
        target = batches.target.elts[0] if isinstance(batches.target, ast.Tuple) else None
        if numbered and target is not None and written(target) == count.id:
            return not mentions(made, "range")
    return counts_up(batches, count.id) and mentions_length(batches) and is_zeroed(epochs, count.id)


def mentions_length(loop: Loop) -> bool:
    """Whether a loop is over a loader, or over as many numbers as it has batches."""
    around = loop.test if isinstance(loop, ast.While) else loop.iter
    return mentions(around, "loader", "len")


def counts_up(loop: Loop, name: str) -> bool:
    """Whether a loop adds to a name."""
    return any(
        isinstance(one, ast.AugAssign) and written(one.target) == name for one in own_nodes(loop)
    )


def is_zeroed(loop: Loop, name: str) -> bool:
    """Whether the body of a loop begins to count from a number."""
    return any(
        isinstance(one, ast.Assign)
        and written(one.targets[0]) == name
        and isinstance(one.value, ast.Constant)
        for one in loop.body
        if not isinstance(one, LOOPS)
    )
