"""Which checkpoint is the best."""

import ast
import re
from collections.abc import Iterator

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import own_calls, own_nodes, walk, written
from .states import saves

TEST = re.compile(r"(^|[^a-z])tests?([^a-z]|$)|^te_", re.I)
VALIDATION = re.compile(r"(^|[^a-z])(val|vali|valid|validation|dev|eval)([^a-z]|$)", re.I)


@rule(
    "TG506",
    "the best checkpoint is the one that the test set likes best",
    why="""Of many epochs the one with the highest test score is kept, and reported: that score is
    too good, by what it varies from epoch to epoch. A test set can say how good a model is as long
    as nothing was chosen by it. One place is shown for the whole repository.""",
    remedy="choose by a validation set, and test what was chosen once",
    source="https://scikit-learn.org/stable/common_pitfalls.html",
    bad="""
import torch


def train(model, epochs, run_epoch, test, path):
    best_acc = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        test_acc = test(model)
        if test_acc > best_acc:  # <--
            best_acc = test_acc
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
    once=True,
)
def best_by_test(module: Module) -> Iterator[Spot]:
    saving = set(saves(module))
    for loop in module.loops:
        for node in own_nodes(loop):
            if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
                continue
            if next(module.loops_around(node)) is not loop:
                continue  # found in the inner loop
            names = [name for name in map(written, walk(node.test)) if name]
            by_test = any(TEST.search(name) and "best" not in name.lower() for name in names)
            kept = any("best" in name.lower() for name in names)
            if not by_test or not kept or any(map(VALIDATION.search, names)):
                continue
            if saving.intersection(own_calls(node)):
                yield Spot(node, unsure=comes_from_validation(loop, names))


def comes_from_validation(loop: ast.AST, names: list[str]) -> bool:
    """Whether a score is called after the test set, and computed on the validation set."""
    return any(
        isinstance(node, ast.Assign)
        and any(written(one) in names for target in node.targets for one in walk(target))
        and any(VALIDATION.search(name) for name in map(written, walk(node.value)) if name)
        for node in own_nodes(loop)
    )
