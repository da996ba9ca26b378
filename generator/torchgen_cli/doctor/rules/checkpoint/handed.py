"""What is given for a parameter, by the callers of a function and theirs."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import FUNCTIONS, Function, argument, has_stars, own_nodes, parameters, written
from ..shared.layers import unmoved
from ..shared.states import is_wrapped, takes

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


def gives_wrapped(module: Module, value: ast.expr, place: int | None = None) -> bool:
    """Whether it calls a function that returns a model which it wrapped, or one as a part."""
    (bare,) = unmoved([value])
    if not isinstance(bare, ast.Call):
        return False
    return any(
        isinstance(node, ast.Return)
        and (result := part_of(node.value, place)) is not None
        and any(is_wrapped(other, one) for one in other.value_in(result, function))
        for other, function in module.project.resolve(module, bare)
        for node in own_nodes(function)
    )


def part_of(value: ast.expr | None, place: int | None) -> ast.expr | None:
    """A part of a tuple that is written out; what is given, where none is asked for."""
    if place is None:
        return value
    return value.elts[place] if isinstance(value, ast.Tuple) and place < len(value.elts) else None


def last_given(module: Module, name: ast.Name) -> ast.Assign | None:
    """Where a name was last set before a place in its function, if that wrapped a model."""
    scope = module.function(name)
    given = [
        (node, value)
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign) and node.lineno < name.lineno
        for value in [value_for(node, name.id)]
        if value is not None and not moves(value[0], name.id)
    ]
    if not given:
        return None
    node, (value, place) = max(given, key=lambda one: one[0].lineno)
    if place is None:
        wrapped = is_wrapped(module, value) or gives_wrapped(module, value)
    else:
        wrapped = gives_wrapped(module, value, place)
    return node if wrapped else None


def value_for(node: ast.Assign, name: str) -> tuple[ast.expr, int | None] | None:
    """What an assignment gives a name, and which part of it; None where it sets others alone."""
    for target in node.targets:
        if written(target) == name:
            return node.value, None
        if isinstance(target, ast.Tuple) and name in map(written, target.elts):
            place = [written(one) for one in target.elts].index(name)
            if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts):
                return node.value.elts[place], None
            return node.value, place
    return None


def moves(value: ast.expr, name: str) -> bool:
    """Whether it is `model.cuda()` and the like, which wraps nothing and unwraps nothing."""
    (bare,) = unmoved([value])
    return bare is not value and written(bare) == name
