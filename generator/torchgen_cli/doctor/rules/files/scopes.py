"""Where Python looks names up."""

import ast
import symtable
from collections.abc import Iterator

from ...project import Module
from ...syntax import FUNCTIONS, walk

DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPING = (*DEFINITIONS, *COMPREHENSIONS, ast.Lambda)


def scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """A scope and those in it."""
    yield table
    for inner in table.get_children():
        yield from scopes(inner)


def nodes_of(module: Module, scope: symtable.SymbolTable) -> list[ast.AST]:
    """The nodes that a scope may stand for: one, but for several lambdas in a line."""
    if scope.get_type() == "module":
        return [module.tree]
    name, line = scope.get_name(), scope.get_lineno()
    return [
        node
        for node in walk(module.tree)
        if isinstance(node, SCOPING) and node.lineno == line
        if getattr(node, "name", name) == name
    ]


def scope_of(module: Module, node: ast.AST) -> ast.AST:
    """The node whose scope a name is looked up in: of a default, the one around the function."""
    inner, inmost = node, node
    for around in module.ancestors(node):
        if isinstance(around, ast.Lambda):
            within = inner is around.body
        elif isinstance(around, COMPREHENSIONS):
            within = inmost is not around.generators[0].iter
        else:
            within = isinstance(around, DEFINITIONS) and inner in around.body
        if within:
            return around
        inner, inmost = around, inner
    return module.tree
