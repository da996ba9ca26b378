"""The names that functions and files bind, and what they are given."""

import ast
from collections import defaultdict

from .kept import kept
from .parsed import ParsedFile
from .syntax import FUNCTIONS, own_nodes, walk, written


def values_of(module: ParsedFile, name: ast.Name) -> list[ast.expr | None]:
    """What a variable of a function or a file is assigned; None for what is no assignment."""
    scope: ast.AST = module.scope(name)
    while not isinstance(scope, ast.Module) and name.id not in bound_in(scope):
        scope = module.scope(scope)
    times = bound_in(scope).get(name.id, 0)
    given = [
        one.value
        for one in module.assigned.get(name.id, ())
        if module.scope(one) is scope and module.class_of(one) is module.class_of(scope)
    ]
    return [*given, *[None] * (times - len(given))]


@kept
def bound_in(scope: ast.AST) -> dict[str, int]:
    """How often a function or a file gives each name a value."""
    found: dict[str, int] = defaultdict(int)
    for node in own_nodes(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found[node.name] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                found[name] += 2  # others may set it, too
    if isinstance(scope, (*FUNCTIONS, ast.Lambda)):
        for one in walk(scope.args):
            if isinstance(one, ast.arg):
                found[one.arg] += 1
    return found


@kept
def stored_in(scope: ast.AST) -> dict[str, list[ast.Name]]:
    """Where a function or a file gives each variable a value."""
    found: dict[str, list[ast.Name]] = defaultdict(list)
    for node in own_nodes(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id].append(node)
    return found


def is_local(module: ParsedFile, name: ast.Name) -> bool:
    """Whether a function around a name binds it: a parameter, a variable, an inner function."""
    scope: ast.AST = module.scope(name)
    while not isinstance(scope, ast.Module):
        if name.id in bound_in(scope):
            return True
        scope = module.scope(scope)
    return False


def given_to(module: ParsedFile, name: ast.Name) -> list[ast.expr]:
    """What a name is given in its function, also with others: `rows, columns = cells.T`."""
    return [
        node.value
        for node in own_nodes(module.function(name))
        if isinstance(node, ast.Assign)
        for target in node.targets
        for one in (target.elts if isinstance(target, ast.Tuple) else [target])
        if written(one) == name.id
    ]
