"""Losses that a function returns with their graphs, to be added up by its callers."""

import ast

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, Function, own_nodes, written
from ..shared.loops import graph_losses, step_scopes


@kept
def losses_taken(module: Module) -> list[tuple[Module, ast.AST, str]]:
    """(file, function, name) of what holds a loss with its graph, as another function gives it."""
    taken: list[tuple[Module, ast.AST, str]] = []
    for function in step_scopes(module):
        losses = graph_losses(function)
        place = place_of_loss(function, losses) if isinstance(function, FUNCTIONS) else None
        for other, call in module.project.calls_of(module, function) if place is not None else ():
            statement = other.parents[call]
            found = other.project.resolve(other, call)
            if len(found) != 1 or not isinstance(statement, ast.Assign):
                continue
            name = name_at(statement.targets[0], place or 0)
            if name and len(other.value_in(ast.Name(name), other.function(call))) <= 1:
                taken.append((other, other.function(call), name))
    return taken


def place_of_loss(function: Function, losses: set[str]) -> int | None:
    """At which place every `return` of a function gives the loss, as `backward` left it."""
    assigned = [
        node.lineno
        for node in own_nodes(function)
        if isinstance(node, ast.Assign) and written(node.targets[0]) in losses
    ]
    computed = [
        node.lineno
        for node in own_nodes(function)
        if isinstance(node, ast.Attribute) and node.attr == "backward"
    ]
    if not assigned or max(assigned) > max(computed, default=0):
        return None
    places: set[int | None] = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            places.add(next((k for k, one in enumerate(values) if written(one) in losses), None))
    return places.pop() if len(places) == 1 else None


def name_at(target: ast.expr, place: int) -> str:
    """The name to which the part of a returned value at a place is assigned."""
    if isinstance(target, ast.Tuple):
        return written(target.elts[place]) if place < len(target.elts) else ""
    return written(target) if place == 0 else ""
