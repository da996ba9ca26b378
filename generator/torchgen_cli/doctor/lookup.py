"""Where a class or function that a file names is defined, as the file's imports say."""

import ast
from typing import TypeVar

from .parsed import ParsedFile
from .syntax import last_name

File = TypeVar("File", bound=ParsedFile)
Node = TypeVar("Node", bound=ast.AST)


def definitions(
    module: File, node: ast.AST, known: dict[str, list[tuple[File, Node]]]
) -> list[tuple[File, Node]] | None:
    """What a name or `package.Name` in a file may be; None where nothing tells.

    `known` are the definitions of all files by name.
    """
    found = known.get(last_name(node), [])
    own = [one for one in found if one[0] is module]
    if isinstance(node, ast.Name):
        if own:
            return own
        if node.id in module.imports:
            return imported(module, module.imports[node.id].rpartition(".")[0], found)
        return [one for source in module.starred for one in imported(module, source, found)]
    whole = module.qualified(node)
    root = whole.partition(".")[0]
    if not whole or root in ("self", "cls") or root not in module.imports.values():
        return None
    return imported(module, whole.rpartition(".")[0], found)


def imported(module: File, source: str, found: list[tuple[File, Node]]) -> list[tuple[File, Node]]:
    """Those of the definitions that an import from `source`, or from a file below it, brings."""
    level = len(source) - len(source.lstrip("."))
    here = module.name.split("/")[:-1]
    parts = [part for part in source.lstrip(".").split(".") if part]
    if level:
        base = here[: len(here) - level + 1] + parts
        return [one for one in found if path_of(one[0])[: len(base)] == base]
    beside = [*here, *parts]  # a script imports what lies beside it
    near = [one for one in found if path_of(one[0])[: len(beside)] == beside]
    return near or [one for one in found if parts and contains(path_of(one[0]), parts)]


def path_of(module: ParsedFile) -> list[str]:
    """A file as an import names it: `a/b/__init__.py` is a, b."""
    return module.name.removesuffix(".py").removesuffix("/__init__").split("/")


def contains(path: list[str], parts: list[str]) -> bool:
    """Whether the parts stand in the path, one after the other."""
    return any(path[k : k + len(parts)] == parts for k in range(len(path) - len(parts) + 1))
