"""Best scores that are compared with, and never updated."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import own_nodes, walk, written
from ..shared.states import plain_saves

ORDERS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)


@rule(
    "TG521",
    "the best score is never updated",
    why="""Each score is compared with the one that the program starts with: nearly every epoch is
    better than that, so the checkpoint of the best epoch is overwritten by the next one.""",
    remedy="assign the new score where it is better",
    source="https://docs.pytorch.org/tutorials/beginner/transfer_learning_tutorial.html",
    bad="""
import torch


def train(model, epochs, run_epoch, validate, path):
    best_acc = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        val_acc = validate(model)
        if val_acc > best_acc:  # <--
            torch.save(model.state_dict(), path)
""",
    good="""
import torch


def train(model, epochs, run_epoch, validate, path):
    best_acc = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        val_acc = validate(model)
        if val_acc > best_acc:
            best_acc = val_acc
            torch.save(model.state_dict(), path)
""",
    severity=Severity.WARNING,
)
def never_updated(module: Module) -> Iterator[ast.AST]:
    told: set[ast.AST] = set()
    for save in plain_saves(module):
        for around in module.ancestors(save):
            loop = next(module.loops_around(around), None)
            if isinstance(around, ast.If) and loop is not None and around not in told:
                best = best_of(around.test)
                if best is not None and keeps_first_value(module, loop, best):
                    told.add(around)
                    yield around.test


def best_of(test: ast.expr) -> ast.Name | None:
    """The name of the best score in `score > best`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ORDERS):
        return None
    found = [one for one in (test.left, *test.comparators) if "best" in written(one).lower()]
    return found[0] if len(found) == 1 and isinstance(found[0], ast.Name) else None


def keeps_first_value(module: Module, loop: ast.AST, best: ast.Name) -> bool:
    """Whether a name is given a number before the loop, and the loop gives it no other one."""
    scope = module.function(loop)
    values = module.value_in(best, scope)
    stores = [
        one
        for one in own_nodes(scope)
        if isinstance(one, ast.Name) and one.id == best.id and not isinstance(one.ctx, ast.Load)
    ]
    shared = any(
        isinstance(one, ast.Global | ast.Nonlocal) and best.id in one.names
        for one in walk(module.tree)
    )
    numbers = bool(values) and all(is_number(one) for one in values)
    within = any(loop in module.ancestors(one) for one in stores)
    return numbers and len(stores) == len(values) and not shared and not within


def is_number(value: ast.expr) -> bool:
    """Whether a number is written out: `-1`, `0.0`, `float("inf")`."""
    while isinstance(value, ast.UnaryOp):
        value = value.operand
    infinite = isinstance(value, ast.Attribute) and value.attr == "inf"
    given = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else value
    return infinite or isinstance(given, ast.Constant)
