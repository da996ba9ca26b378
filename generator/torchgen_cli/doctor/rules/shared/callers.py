"""What the callers of a function give it."""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, argument, last_name, parameters


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


def is_given_states(module: Module, scope: ast.AST, name: str) -> bool:
    """Whether a caller gives a function the tensors of a model, and not the model."""
    given = [value for _, value, _ in given_by_callers(module, scope, name)]
    return any(isinstance(one, ast.Call) and last_name(one.func) == "state_dict" for one in given)
