"""What is given for a parameter, by the callers of a function and theirs."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..syntax import FUNCTIONS, Function, argument, has_stars, own_nodes, parameters, written
from .layers import unmoved
from .states import is_wrapped, takes

DEPTH = 3


def given_for(
    module: Module, function: ast.AST, name: str, depth: int = DEPTH
) -> Iterator[tuple[Module, ast.expr]]:
    """(file, expression) of what is given for a parameter, followed up through the callers."""
    if not isinstance(function, FUNCTIONS) or not takes(function, name) or not depth:
        return
    names = parameters(function)
    place = names.index(name) if name in names else len(names)
    for other, call in callers(module, function):
        value = None if has_stars(call) else argument(call, place, name)
        if value is None:
            continue
        scope = other.function(value)
        if isinstance(value, ast.Name) and takes(scope, value.id):
            yield from given_for(other, scope, value.id, depth - 1)
        else:
            yield other, value


def callers(module: Module, function: Function) -> Iterator[tuple[Module, ast.Call]]:
    """Where a function is called; `__call__` where an object of its class is."""
    yield from module.project.calls_of(module, function)
    node = module.class_of(function)
    if function.name != "__call__" or node is None:
        return
    for other in module.project.near(module):
        for target, statements in other.assigned.items():
            made = [s.value for s in statements if isinstance(s.value, ast.Call)]
            if any(
                (module, node) in (other.project.classes_named(other, value.func) or ())
                for value in made
            ):
                calls = other.calls.get(target.rpartition(".")[2], ())
                yield from ((other, call) for call in calls if written(call.func) == target)


def wrapped_elsewhere(module: Module, value: ast.expr) -> bool:
    """Whether an attribute is a wrapped model: made so in its class, a base, or by a method."""
    node = module.class_of(value)
    if not isinstance(value, ast.Attribute) or node is None:
        return False
    for other in module.project.near(module):
        for statement in other.assigned.get(written(value), ()):
            around = other.class_of(statement)
            if around is None or (
                around is not node and not module.project.derives(module, node, around.name)
            ):
                continue
            if is_wrapped(other, statement.value) or gives_wrapped(other, statement.value):
                return True
    return False


def gives_wrapped(module: Module, value: ast.expr) -> bool:
    """Whether it calls a function that returns a model which it wrapped."""
    (bare,) = unmoved([value])
    if not isinstance(bare, ast.Call):
        return False
    return any(
        isinstance(node, ast.Return)
        and node.value is not None
        and any(is_wrapped(other, one) for one in other.value_in(node.value, function))
        for other, function in module.project.resolve(module, bare)
        for node in own_nodes(function)
    )
