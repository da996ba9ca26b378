"""What a file defines or imports at its top, and what it does not count on."""

import ast
import re
from collections.abc import Iterator

from .kept import kept
from .lookup import imported, path_of
from .project import Module
from .syntax import mentions

MAKES_NAMES = re.compile(rb"\bglobals\(\)|\blocals\(\)\.update|\bexec(file)?\(|\bsetattr\(builtins")


@kept
def names_of(module: Module, depth: int = 3) -> set[str] | None:
    """What a file defines or imports at its top; None where not all of it can be known."""
    found = {name.partition(".")[0] for name in module.imports}
    for source in module.starred:
        starred = names_of_starred(module, source, depth)
        if starred is None:
            return None
        found |= starred
    if b"global " in module.project.contents[module.name]:
        found.update(*(node.names for node in module.parents if isinstance(node, ast.Global)))
    for node in everything_at_the_top(module.tree):
        if isinstance(node, ast.Name):
            found |= {node.id} if not isinstance(node.ctx, ast.Load) else set()
        else:
            found.add(getattr(node, "name", None) or "")  # functions, classes, exceptions
    return found


def everything_at_the_top(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a file that are in no function and no class."""
    pending = list(ast.iter_child_nodes(tree))
    for node in pending:  # it grows
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def names_of_starred(module: Module, source: str, depth: int) -> set[str] | None:
    """What `from utils import *` brings; None where that file is not of the project."""
    files = [(other, other.tree) for other in module.project.modules if other is not module]
    named = source.rpartition(".")[2]
    # of a package its own file, and not those in it
    found = [other for other, _ in imported(module, source, files) if path_of(other)[-1] == named]
    if not depth or len(found) != 1:
        return None
    return names_of(found[0], depth - 1)


def is_cared_for(module: Module, node: ast.AST) -> bool:
    """Whether a name may be missing: in a `try`, for an old Python, or in an annotation."""
    for around in module.ancestors(node):
        if isinstance(around, ast.Try | ast.AnnAssign | ast.arg):
            return True
        if isinstance(around, ast.If) and mentions(around.test, "version", "type_checking", "py2"):
            return True
    return module.is_fallback(node)
