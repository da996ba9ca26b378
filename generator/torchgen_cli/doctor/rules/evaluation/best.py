"""Which checkpoint is the best."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    LOOPS,
    argument,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    parameters,
    walk,
    written,
)
from ..shared.loops import is_backward
from ..shared.states import saves
from .on_test import TEST, VALIDATION, is_tested_later, scored_on_test, stopped_by_test


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
        validated = named and any(is_validated(module, one) for part in asked for one in walk(part))
        if isinstance(node, ast.If):
            calls = own_calls(node)
            kept = bool(saving.intersection(calls)) or any(map(keeps_weights, calls))
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
    """Whether a score is what a function returned for validation data: `test(val_loader)`."""
    scope = module.function(score)
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            targets = {written(one) for target in node.targets for one in walk(target)}
            given = [written(one) for one in node.value.args]
            if written(score) in targets - {""} and any(map(VALIDATION.search, given)):
                return True
    return False


def keeps_weights(call: ast.Call) -> bool:
    """Whether a helper is called that saves, by its name, and is given weights."""
    named = "save" in last_name(call.func).lower()
    given = [*call.args, *(one.value for one in call.keywords)]
    return named and any(mentions(one, "state", "model", "net") for one in given)


def decides(module: Module, loop: ast.AST, flag: ast.expr) -> bool:
    """Whether a flag decides what is saved: given to a helper, or asked before one is called."""
    name = written(flag)
    helped = any(
        keeps_weights(call)
        and any(written(one) == name for one in [*call.args, *(k.value for k in call.keywords)])
        and not is_left_unread(module, call, name)
        for call in own_calls(loop)
    )
    asked = (n for n in own_nodes(loop) if isinstance(n, ast.If) and written(n.test) == name)
    return bool(name) and (helped or any(any(map(keeps_weights, own_calls(one))) for one in asked))


def is_left_unread(module: Module, call: ast.Call, name: str) -> bool:
    """Whether none of the functions that a call may mean reads the parameter that it gives."""
    functions = [one for _, one in module.project.resolve(module, call)]
    return bool(functions) and not any(
        written(value) == name and any(written(one) == own for one in own_nodes(function))
        for function in functions
        for place, own in enumerate(parameters(function))
        if (value := argument(call, place, own)) is not None
    )
