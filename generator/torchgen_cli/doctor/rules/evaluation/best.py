"""Which checkpoint is the best."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    LOOPS,
    is_constant,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.loops import is_backward
from ..shared.origins import called, calls_behind
from ..shared.states import saves
from .evaluating import LOADERS
from .keeping import decides, keeps_weights, saves_weights
from .on_test import (
    TEST,
    VALIDATION,
    is_tested_later,
    made_by,
    scored_on_test,
    stopped_by_test,
    validates,
)

# of which no set of samples is held out: each test draws new ones
ENVIRONMENT = re.compile(r"(^|_|[^a-z])(envs?|rewards?|episodes?)(_|$|[^a-z])", re.I)


@rule(
    "TG506",
    "the best checkpoint is chosen on the test set",
    why="""Of many epochs the one with the highest test score is kept, or ends the run, and is
    reported: that score is too good, by as much as it varies between epochs. A test set can measure
    a model only if nothing was chosen by it. Shown once per repository.""",
    remedy="choose on a validation set, and test the chosen model once",
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
    for around, node in comparisons(module):
        asked = compared_in(node.test if isinstance(node, ast.If) else node.value)
        named = any(map(prefers_test, asked))
        if not named and not any(
            scored_on_test(module, around, one) or is_tested_later(module, around, one)
            for one in asked
        ):
            continue
        parts = [one for part in asked for one in walk(part)]
        validated = named and any(is_validated(module, one) for one in parts)
        validated = validated or (named and validates(module.function(node)))
        validated = validated or any(is_of_no_test_data(module, one) for one in asked)
        if isinstance(node, ast.If):
            calls = own_calls(node)
            kept = bool(saving.intersection(calls)) or any(map(keeps_weights, calls))
            kept = kept or any(saves_weights(module, one) for one in calls)
            decided = any(decides(module, around, flag) for flag in raised(node))
            if kept or decided:
                yield Spot(node, unsure=validated)
            elif ends_training(module, around, node):
                yield Spot(node, "it decides when the run ends", unsure=validated)
        elif decides(module, around, node.targets[0]):
            yield Spot(node, unsure=validated)
    yield from map(Spot, stopped_by_test(module))


def ends_training(module: Module, loop: ast.AST, condition: ast.If) -> bool:
    """Whether a loop that trains is left where epochs without a better score were counted."""
    if not isinstance(loop, LOOPS):
        return False
    counted = {
        written(one.target)
        for one in own_nodes(loop)
        if isinstance(one, ast.AugAssign)
        and isinstance(one.op, ast.Add)
        and (one in condition.orelse or counts_flag(one.value, condition))
    } - {""}
    left = any(
        isinstance(one, ast.If)
        and isinstance(one.body[-1], ast.Break)
        and next(module.loops_around(one)) is loop
        and any(written(part) in counted for part in walk(one.test))
        for one in own_nodes(loop)
    )
    return left and module.project.reaches(module, loop, is_backward)


def counts_flag(value: ast.expr, condition: ast.If) -> bool:
    """Whether it is `1 - flag`, of a flag that a condition sets to 1."""
    set_there = {
        written(one.targets[0])
        for one in condition.body
        if isinstance(one, ast.Assign) and is_constant(one.value, 1, True)
    }
    return isinstance(value, ast.BinOp) and written(value.right) in set_there - {""}


def compared_in(condition: ast.expr) -> list[ast.expr]:
    """The comparisons of a condition, all of which must hold."""
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
        return [one for one in condition.values if isinstance(one, ast.Compare)]
    return [condition] if isinstance(condition, ast.Compare) else []


def comparisons(module: Module) -> Iterator[tuple[ast.AST, ast.If | ast.Assign]]:
    """(what is around, a condition or a flag) of loops, and of functions that go through a test."""
    for loop in module.loops:
        for node in own_nodes(loop):
            if isinstance(node, ast.If | ast.Assign) and next(module.loops_around(node)) is loop:
                yield loop, node
    for function in module.functions if "backward" in module.calls else ():
        for node in own_nodes(function):
            if isinstance(node, ast.If) and not any(True for _ in module.loops_around(node)):
                yield function, node


def raised(condition: ast.If) -> Iterator[ast.expr]:
    """The flags that a condition sets to True: `is_best`."""
    for one in condition.body:
        if isinstance(one, ast.Assign) and is_constant(one.value, True):
            yield one.targets[0]


def prefers_test(comparison: ast.expr) -> bool:
    """Whether a score of a test set is compared with the best one."""
    names = [name for name in map(written, walk(comparison)) if name]
    by_test = any(map(TEST.search, names))
    kept = any("best" in name.lower() for name in names)
    return by_test and kept and not any(map(VALIDATION.search, names))


def is_validated(module: Module, score: ast.AST) -> bool:
    """Whether a score is what a function returned for validation data: `test(val_loader)`.

    Or what one returned that goes through such data itself.
    """
    scope = module.function(score)
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            targets = {written(one) for target in node.targets for one in walk(target)}
            given = [str(getattr(one, "value", "")) for one in node.value.args]
            given += map(written, node.value.args)
            if written(score) in targets - {""} and (
                any(map(VALIDATION.search, given))
                or any(validates(function) for _, function in called(module, node.value))
            ):
                return True
    return False


def is_of_no_test_data(module: Module, comparison: ast.expr) -> bool:
    """Whether a score is of an environment, or the data are read from a validation split."""
    names = [name for name in map(written, walk(comparison)) if name]
    made = [call for name in names for call in made_by(module, comparison, name)]
    for call in [*made]:  # score = scores.mean()
        if isinstance(owner := receiver(call), ast.Name):
            made += made_by(module, call, owner.id)
    given = [one for call in made for one in call.args]
    if any(map(ENVIRONMENT.search, [*names, *map(written, given)])):
        return True
    texts = {
        one.value
        for loader in given
        if LOADERS.search(written(loader))
        for _, call in calls_behind(module, loader)
        for one in [*call.args, *(each.value for each in call.keywords)]
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }
    return any(map(VALIDATION.search, texts)) and not any(map(TEST.search, texts))
