"""Functions that train or evaluate, as a parameter says: `run_epoch(model, loader, train=False)`.

The parameter may be a flag, the name of a part of the data, or an optimizer that may be missing.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    defaults_of,
    has_stars,
    own_calls,
    parameters,
    written,
)
from ...unreached import is_unreached

FLAG = re.compile(r"train|backprop|backward|optim", re.I)


class Question(NamedTuple):
    """What a condition asks of a parameter: whether it is set, or whether it is this text."""

    name: str
    text: str | None = None

    def is_denied(self, value: object) -> bool:
        """Whether the answer is no for a value."""
        return not value if self.text is None else value != self.text


def evaluating_loops(module: Module) -> Iterator[tuple[ast.For, Function]]:
    """(loop, function) where gradients are computed only if a caller asks, and a call does not."""
    for loop in module.loops:
        scope = module.function(loop)
        if not isinstance(loop, ast.For) or not isinstance(scope, FUNCTIONS):
            continue
        backward = own_calls(loop, "backward")
        if not backward or any(True for _ in module.loops_around(loop)):
            continue
        for asked in questions_around(module, scope, backward[0]):
            if asked in questions_around(module, scope, loop):
                continue  # a loop of the training alone
            under = all(asked in questions_around(module, scope, call) for call in backward)
            if under and is_denied(module, scope, asked):
                yield loop, scope
                break


def phase_loops(module: Module) -> Iterator[tuple[ast.For, Function | ast.Module]]:
    """(loop, what is around) where an outer loop's name says if gradients are computed.

    That loop is `for phase in ["train", "val"]:`.
    """
    for outer in module.loops:
        if not isinstance(outer, ast.For) or not isinstance(outer.iter, ast.List | ast.Tuple):
            continue
        values = {one.value for one in outer.iter.elts if isinstance(one, ast.Constant)}
        backward = own_calls(outer, "backward") if len(values) > 1 else []
        for call in backward[:1]:
            loop = next(module.loops_around(call))
            asked = asked_between(module, call, loop)
            if (
                isinstance(loop, ast.For)
                and loop is not outer
                and any(one.name == written(outer.target) and one.text in values for one in asked)
            ):
                yield loop, module.function(loop)


def asked_between(module: Module, node: ast.AST, end: ast.AST) -> Iterator[Question]:
    """What the conditions around a place, up to another one, ask to reach it."""
    below = node
    for around in module.ancestors(node):
        if around is end:
            return
        if isinstance(around, ast.If) and below in around.body:
            yield from asked_by(around.test)
        below = around


def questions_around(module: Module, scope: Function, node: ast.AST) -> list[Question]:
    """What must be true of the parameters of a function where a place is reached."""
    found = []
    below = node
    for around in module.ancestors(node):
        if around is scope:
            break
        if isinstance(around, ast.If) and below in around.body:
            for one in asked_by(around.test):
                found += [one] if one.name in parameters(scope) else behind(module, scope, one)
        below = around
    return found


def behind(module: Module, scope: Function, asked: Question) -> list[Question]:
    """What a flag of the function's own stands for: `train = optimizer is not None`."""
    values = module.value_in(ast.Name(asked.name), scope)
    if len(values) != 1 or asked.text is not None:
        return []
    return [one for one in asked_by(values[0]) if one.name in parameters(scope)]


def asked_by(test: ast.expr) -> Iterator[Question]:
    """What a condition asks: `train`, `optimizer is not None`, `part == "train"`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from asked_by(value)
        return
    asks_none = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot)
    named = test.left if isinstance(test, ast.Compare) and asks_none else test
    if isinstance(named, ast.Name) and FLAG.search(named.id):
        yield Question(named.id)
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
        text = getattr(test.comparators[0], "value", None)
        if isinstance(test.left, ast.Name) and isinstance(text, str) and "train" in text.lower():
            yield Question(test.left.id, text)


def is_denied(module: Module, function: Function, asked: Question) -> bool:
    """Whether a call of the function gives a parameter another value, or leaves it at one."""
    return bool(denials(module, function, asked))


def denials(module: Module, function: Function, asked: Question) -> list[tuple[Module, ast.Call]]:
    """The calls of a function that give a parameter another value, or leave it at one."""
    place, default = parameters(function).index(asked.name), defaults_of(function).get(asked.name)
    found = []
    for other, call in module.project.calls_of(module, function):
        if is_unreached(other, call):
            continue
        value = None if has_stars(call) else argument(call, place, asked.name) or default
        if isinstance(value, ast.Constant) and asked.is_denied(value.value):
            found.append((other, call))
    return found


def evaluating_calls(
    module: Module, loop: ast.For, scope: Function
) -> list[tuple[Module, ast.Call]]:
    """The calls of a function for which such a loop of it computes no gradients."""
    backward = own_calls(loop, "backward")[0]
    asked = questions_around(module, scope, backward)
    return [one for question in asked for one in denials(module, scope, question)]
