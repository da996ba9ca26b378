"""What the callers of a function give it."""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, argument, defaults_of, has_stars, last_name, own_nodes, parameters


def given_by_callers(
    module: Module, scope: ast.AST, name: str
) -> list[tuple[Module, ast.expr, ast.Call]]:
    """What callers give a function for a parameter, each with its file and its call."""
    if not isinstance(scope, FUNCTIONS) or name not in parameters(scope) or module.class_of(scope):
        return []
    place = parameters(scope).index(name)
    return [
        (other, value, call)
        for other, call in module.project.calls_of(module, scope)
        if other.function(call) is not scope and (value := argument(call, place, name)) is not None
    ]


def given_through(
    module: Module, call: ast.Call, value: ast.expr | None
) -> list[tuple[Module, ast.Call, ast.expr | None]]:
    """What an argument of a call is, by the calls of the function that hands it on.

    That is the call itself where the argument is no parameter, or where a caller does not tell.
    """
    scope = module.function(call)
    own = [(module, call, value)]
    if not isinstance(scope, FUNCTIONS) or not isinstance(value, ast.Name):
        return own
    if value.id not in parameters(scope) or is_set_in(scope, value.id):
        return own
    place, default = parameters(scope).index(value.id), defaults_of(scope).get(value.id)
    found = [
        own[0] if has_stars(one) else (other, one, argument(one, place, value.id) or default)
        for other, one in module.project.calls_of(module, scope)
    ]
    return found or own


def is_set_in(scope: ast.AST, name: str) -> bool:
    """Whether a function gives one of its parameters another value."""
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
        for one in own_nodes(scope)
    )


def is_given_states(module: Module, scope: ast.AST, name: str) -> bool:
    """Whether a caller gives a function the tensors of a model, and not the model."""
    return any(
        isinstance(one, ast.Call) and last_name(one.func) == "state_dict"
        for other, value, call in given_by_callers(module, scope, name)
        for one in [value, *other.value_in(value, other.function(call))]
    )
