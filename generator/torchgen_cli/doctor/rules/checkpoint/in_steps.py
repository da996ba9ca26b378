"""What is made of a file's content, and whether it ends up in a model."""

import ast

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    walk,
    written,
)
from ..shared.loops import is_optimizer
from .opens_anywhere import fills_a_model

STEPS = 4  # from name to name
COPYING = {"OrderedDict", "dict"}


def fills_a_model_in_steps(module: Module, load: ast.Call) -> bool:
    """Whether a model gets what a call returns, or what a function makes of it."""
    names = holders(module, load)
    for call in own_calls(module.function(load)):
        given = [one for one in call.args if load in walk(one) or holds(one, names)]
        brought = last_name(call.func) == "load_state_dict"
        if given and brought and not is_optimizer(module, receiver(call)):
            return True
        if given and any(is_taken_by_a_model(module, call, one) for one in given):
            return True
    return False


def holders(module: Module, load: ast.Call) -> set[str]:
    """The names of a function that hold what a call returns, or a part or a copy of it."""
    statement, nodes = module.statement(load), list(own_nodes(module.function(load)))
    if not isinstance(statement, ast.Assign) or not is_part(statement.value, load):
        return set()
    names = set(named(statement.targets))
    for _ in range(STEPS):
        before = len(names)
        for node in nodes:
            if isinstance(node, ast.Assign) and holds(node.value, names):
                names.update(named(node.targets))
            elif isinstance(node, ast.For) and holds(node.iter, names):
                names.update(named([node.target]))
            elif isinstance(node, ast.Call) and last_name(node.func) == "update":
                owner = written(receiver(node) or node)
                if owner and any(holds(one, names) for one in node.args):
                    names.add(owner)
        if len(names) == before:
            break
    return names


def named(targets: list[ast.expr]) -> list[str]:
    """The names that are given a value, or an element: of `a, b["k"] = ...` "a" and "b"."""
    found = []
    for target in targets:
        if isinstance(target, ast.Tuple):
            found += named(target.elts)
            continue
        held = target
        while isinstance(held, ast.Subscript):
            held = held.value
        found.append(written(held))
    return [one for one in found if one]


def is_part(value: ast.expr, load: ast.Call) -> bool:
    """Whether a value is what a call returns, or a part of it: `torch.load(path)["model"]`."""
    while value is not load:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Call) and last_name(value.func) in ("get", "pop", "copy"):
            owner = receiver(value)
            if owner is None:
                return False
            value = owner
        else:
            return False
    return True


def holds(value: ast.expr, names: set[str]) -> bool:
    """Whether a value is held by one of the names, or is a part or a copy of such a value."""
    if isinstance(value, ast.Name | ast.Attribute):
        return written(value) in names
    if isinstance(value, ast.Subscript):
        return holds(value.value, names)
    if isinstance(value, ast.IfExp):
        return holds(value.body, names) or holds(value.orelse, names)
    if isinstance(value, ast.DictComp):
        return any(holds(one.iter, names) for one in value.generators)
    if not isinstance(value, ast.Call):
        return False
    owner = receiver(value)
    copied = value.args if last_name(value.func) in COPYING else []
    if owner is not None and last_name(value.func) in ("copy", "get", "items", "pop"):
        copied = [owner]
    return any(holds(one, names) for one in copied)


def is_taken_by_a_model(module: Module, call: ast.Call, given: ast.expr) -> bool:
    """Whether a class of the project is given the weights, and fills a model when it is made."""
    return any(
        argument(call, place, name) is given and fills_a_model(function, name)
        for _, made in module.project.classes_named(module, call.func) or ()
        for function in made.body
        if isinstance(function, FUNCTIONS) and function.name == "__init__"
        for place, name in enumerate(parameters(function))
    )


def returns_it_to_a_model(module: Module, load: ast.Call) -> bool:
    """Whether a function returns what it loads, and a caller fills a model with it."""
    scope, names = module.function(load), holders(module, load)
    returned: list[ast.expr] = []
    for one in own_nodes(scope):
        if isinstance(one, ast.Return) and one.value is not None:
            returned += one.value.elts if isinstance(one.value, ast.Tuple) else [one.value]
    return (
        any(is_part(part, load) or holds(part, names) for part in returned)
        and isinstance(scope, FUNCTIONS)
        and isinstance(module.parents[scope], ast.Module)  # the callers of methods are not sure
        and any(
            fills_a_model_in_steps(other, call)
            for other, call in module.project.calls_of(module, scope)
        )
    )
