"""Checkpoints that hold the best score of the epochs before."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import last_name, own_calls, own_nodes, walk, written
from ..shared.states import value_before
from .best_read import BEST, compared
from .checkpoint import SAVING


@rule(
    "TG629",
    "the checkpoint holds the best score from before this epoch",
    why="""The best score so far is saved before this epoch's score is compared with it. A run that
    resumes from there treats an older epoch's score as the best: an epoch that is worse than the
    best replaces it.""",
    remedy="compare first, then save",
    source=SAVING,
    bad="""
import torch


def fit(model, epochs, run_epoch, validate, path, resume):
    best_score = 0.0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        best_score = state["best_score"]
    for _ in range(epochs):
        run_epoch(model)
        score = validate(model)
        torch.save({"model": model.state_dict(), "best_score": best_score}, path)  # <--
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    good="""
import torch


def fit(model, epochs, run_epoch, validate, path, resume):
    best_score = 0.0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        best_score = state["best_score"]
    for _ in range(epochs):
        run_epoch(model)
        score = validate(model)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
        torch.save({"model": model.state_dict(), "best_score": best_score}, path)
""",
)
def saved_before(module: Module) -> Iterator[Spot]:
    brought = [
        name
        for name, statements in module.assigned.items()
        if BEST.search(name) and any(is_read(one.value) for one in statements)
    ]
    for name, calls in module.calls.items() if brought else ():
        for call in calls if "save" in name.lower() else ():
            loop = next(module.loops_around(call), None)
            if loop is None:
                continue
            for best in brought:
                if holds(module, call, best) and is_set_later(module, loop, call, best):
                    yield Spot(call, f"`{best}`")
                    break


def is_read(value: ast.expr) -> bool:
    """Whether a value is read by a key that is written out."""
    return (
        isinstance(value, ast.Subscript)
        and isinstance(value.slice, ast.Constant)
        and isinstance(value.slice.value, str)
        and BEST.search(value.slice.value) is not None
    )


def holds(module: Module, call: ast.Call, best: str) -> bool:
    """Whether a call that saves is given the best score, at once or in a dict."""
    given = [*call.args, *(one.value for one in call.keywords)]
    whole = [value_before(module, one, call) or one for one in given]
    return any(written(node) == best for one in whole for node in values_in(one))


def values_in(value: ast.expr) -> Iterator[ast.expr]:
    """A value, and what it holds where it is a container that is written out."""
    if isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, ast.List | ast.Tuple):
        yield from value.elts
    else:
        yield value


def is_set_later(module: Module, loop: ast.AST, call: ast.Call, best: str) -> bool:
    """Whether the best is set behind a save in the same block, to a score that was there before.

    No save behind that, and none before the score, holds the best.
    """
    for one in module.following(module.statement(call)):
        scores = compares_and_sets(one, best)
        if not scores:
            continue
        known = any(
            isinstance(node, ast.Name)
            and node.id in scores
            and isinstance(node.ctx, ast.Store)
            and node.lineno < call.lineno
            for node in own_nodes(loop)
        )
        again = any(
            other is not call and other.lineno > one.lineno and holds(module, other, best)
            for other in own_calls(loop)
            if "save" in last_name(other.func).lower()
        )
        return known and not again
    return False


def compares_and_sets(statement: ast.stmt, best: str) -> set[str]:
    """The names that a condition compares with the best, which it then sets; or none."""
    if not isinstance(statement, ast.If) or best not in compared(statement.test):
        return set()
    values = [
        one.value
        for inner in statement.body
        for one in walk(inner)
        if isinstance(one, ast.Assign) and best in map(written, one.targets)
    ]
    sides = {written(one) for one in walk(statement.test)} - {"", best}
    return sides & {written(one) for one in values}
