"""Weights of a bare model, and where a wrapped one may get them."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import SCOPES, is_constant, last_name, receiver, same, walk, written
from ..shared.states import filled_in, handed_on, plain_saves, value_before


def is_bare_otherwise(module: Module, model: ast.expr, call: ast.AST) -> bool:
    """Whether it is reached only where `model.module` is not: `else model.state_dict()`."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "module" and same(node.value, model)
        for other in other_branches(module, call)
        for node in walk(other)
    )


def other_branches(module: Module, inner: ast.AST) -> Iterator[ast.AST]:
    """What runs where a place does not: the other branch of each condition around, or what failed.

    Conditions outside of the function are left out.
    """
    for around in module.ancestors(inner):
        if isinstance(around, SCOPES):
            return
        if isinstance(around, ast.IfExp) and inner is not around.test:
            yield around.orelse if inner is around.body else around.body
        elif isinstance(around, ast.If) and inner is not around.test:
            yield from around.orelse if inner in around.body else around.body
        elif isinstance(around, ast.Try) and inner not in around.body:
            yield from around.body
        inner = around


def saved_under(module: Module, key: str) -> Iterator[tuple[ast.expr, ast.Call]]:
    """(value, the call that saves it) of what a file saves in dicts under a key."""
    given = [(call, call.args[0]) for call in plain_saves(module)]
    for call, content in [*given, *handed_on(module, ast.Name)]:
        scope, name = module.function(call), written(content)
        whole = filled_in(module, scope, name, value_before(module, content, call))
        if isinstance(whole, ast.Dict):
            for one, value in zip(whole.keys, whole.values, strict=True):
                if isinstance(one, ast.Constant) and one.value == key:
                    yield value, call


def states_in(module: Module, value: ast.expr) -> Iterator[ast.Call | None]:
    """The calls of `state_dict` that a value may come from; None for what is not known."""
    if isinstance(value, ast.IfExp):
        yield from states_in(module, value.body)
        yield from states_in(module, value.orelse)
    elif isinstance(value, ast.Name):
        given = module.value_in(value, module.function(value))
        for one in given:
            known = not isinstance(one, ast.Name)
            yield from states_in(module, one) if known else [None]
        if not given:
            yield None
    elif isinstance(value, ast.Call) and last_name(value.func) == "state_dict":
        yield value
    else:
        yield None


def is_saved_bare(module: Module, model: ast.expr, key: str) -> bool:
    """Whether a file saves what is in `model.module` under a key, and nothing else."""
    states = [state for value, _ in saved_under(module, key) for state in states_in(module, value)]
    bare = [one for one in states if one is not None and is_part_of(receiver(one), model)]
    return bool(bare) and all(
        one is not None and (one in bare or is_bare_otherwise(module, model, one)) for one in states
    )


def is_part_of(owner: ast.expr | None, model: ast.expr) -> bool:
    """Whether it is `model.module`."""
    return isinstance(owner, ast.Attribute) and owner.attr == "module" and same(owner.value, model)


@kept
def cuts_prefix(module: Module) -> bool:
    """Whether a file deals with the prefix: by its name, or by its length."""
    if "consume_prefix_in_state_dict_if_present" in module.calls:
        return True
    return any(
        (isinstance(node, ast.Slice) and is_constant(node.lower, 7) and node.upper is None)
        or (isinstance(node, ast.Constant) and is_prefix(node.value))
        for node in walk(module.tree)
    )


def is_prefix(value: object) -> bool:
    """Whether it is `"module."`, or another text with it that is no sentence."""
    return isinstance(value, str) and "module." in value and " " not in value
