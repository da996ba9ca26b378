"""Code under a flag of an object that nobody sets."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    defaults_of,
    has_stars,
    is_constant,
    method_of,
    own_nodes,
    parameters,
    written,
)


def is_off(module: Module, call: ast.AST) -> bool:
    """Whether it is under `if self.flag:`, and whoever makes the object leaves the flag False."""
    node = module.class_of(call)
    first = method_of(node, "__init__")
    if node is None or first is None:
        return False
    asked = {written(one.test) for one in module.ancestors(call) if isinstance(one, ast.If)}
    named, defaults = parameters(first), defaults_of(first)
    return any(
        f"self.{name}" in asked
        and is_kept(first, name)
        and never_given(module, node, named.index(name), name, defaults.get(name))
        for name in named
    )


def is_kept(function: Function, name: str) -> bool:
    """Whether a method writes its argument to the attribute of the same name, and nothing else."""
    kept = [
        written(one.value)
        for one in own_nodes(function)
        if isinstance(one, ast.Assign) and written(one.targets[0]) == f"self.{name}"
    ]
    return kept == [name]


def never_given(
    module: Module, node: ast.ClassDef, place: int, name: str, default: ast.expr | None
) -> bool:
    """Whether all that make objects of a class give False or None, or leave it at that."""
    made = [call for _, call in module.project.callers.get(node.name, ())]
    values = [argument(call, place, name) or default for call in made]
    return bool(made) and not any(
        has_stars(call) or value is None or not is_constant(value, False, None)
        for call, value in zip(made, values, strict=True)
    )


def is_switched_off(module: Module, node: ast.AST) -> bool:
    """Whether it is under a switch that the code never turns on."""
    return (
        is_off(module, node)
        or is_off_by_constant(module, node)
        or any(
            is_never_asked_for(module, around.test, inner in around.body)
            for inner, around in pairs(module, node)
            if isinstance(around, ast.If) and inner is not around.test
        )
    )


def pairs(module: Module, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node around a node, with the one below it."""
    for around in module.ancestors(node):
        yield node, around
        node = around


def is_never_asked_for(module: Module, test: ast.expr, if_true: bool) -> bool:
    """Whether a test is about an argument that all callers leave at False or None."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_never_asked_for(module, test.operand, not if_true)
    if isinstance(test, ast.Compare) and is_constant(test.comparators[0], None):
        if isinstance(test.ops[0], ast.Is):
            if_true = not if_true
        test = test.left
    function = module.function(test)
    if not if_true or not isinstance(test, ast.Name) or not isinstance(function, FUNCTIONS):
        return False
    default = defaults_of(function).get(test.id)
    stored = any(
        isinstance(one, ast.Name) and one.id == test.id and not isinstance(one.ctx, ast.Load)
        for one in own_nodes(function)
    )
    known = default is not None and test.id in parameters(function) and not stored
    if not known or not is_constant(default, False, None):
        return False
    place = parameters(function).index(test.id)
    node = module.class_of(function)
    if node is not None and function.name == "__init__":
        return never_given(module, node, place, test.id, default)
    calls = [call for _, call in module.project.calls_of(module, function)]
    return bool(calls) and all(is_left_out(call, place, test.id) for call in calls)


def is_left_out(call: ast.Call, place: int, name: str) -> bool:
    """Whether a call gives False or None for an argument, or nothing."""
    value = argument(call, place, name)
    return not has_stars(call) and (value is None or is_constant(value, False, None))


def is_off_by_constant(module: Module, node: ast.AST) -> bool:
    """Whether it is under `if DEBUG:`, where the file says `DEBUG = False` and nothing else."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp) and inner is not around.test:
            first = inner in around.body if isinstance(around, ast.If) else inner is around.body
            if known_truth(module, around.test) not in (None, first):
                return True
        inner = around
    return False


def known_truth(module: Module, test: ast.expr) -> bool | None:
    """Whether a name is true, or `not` a name, whose one value the top of a file gives."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = known_truth(module, test.operand)
        return None if inner is None else not inner
    if not isinstance(test, ast.Name):
        return None
    places = [
        one
        for one in module.parents
        if isinstance(one, ast.Name | ast.arg)
        and getattr(one, "id", getattr(one, "arg", "")) == test.id
        and not isinstance(getattr(one, "ctx", None), ast.Load)
    ]
    given = module.assigned.get(test.id, ())
    if len(places) != 1 or len(given) != 1 or module.parents[given[0]] is not module.tree:
        return None
    value = given[0].value
    return bool(value.value) if isinstance(value, ast.Constant) else None
