"""Where a class that a file names is defined, as the file's imports say."""

import ast
from typing import TYPE_CHECKING, TypeVar

from .syntax import last_name

if TYPE_CHECKING:
    from .project import Module

Found = list[tuple["Module", ast.ClassDef]]
Node = TypeVar("Node", bound=ast.AST)


def classes_named(module: "Module", node: ast.AST) -> Found | None:
    """The classes that a name or `package.Name` in a file may be; None where nothing tells."""
    name = last_name(node)
    found = module.project.classes.get(name, [])
    own = [one for one in found if one[0] is module]
    if isinstance(node, ast.Name):
        if own:
            return own
        if node.id in module.imports:
            return imported(module, module.imports[node.id].rpartition(".")[0], found)
        starred = [
            "." * statement.level + (statement.module or "")
            for statement in module.import_statements
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
        ]
        return [one for source in starred for one in imported(module, source, found)]
    whole = module.qualified(node)
    root = whole.partition(".")[0]
    if not whole or root in ("self", "cls") or root not in module.imports.values():
        return None
    return imported(module, whole.rpartition(".")[0], found)


def imported(
    module: "Module", source: str, found: list[tuple["Module", Node]]
) -> list[tuple["Module", Node]]:
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


def path_of(module: "Module") -> list[str]:
    """A file as an import names it: `a/b/__init__.py` is a, b."""
    return module.name.removesuffix(".py").removesuffix("/__init__").split("/")


def contains(path: list[str], parts: list[str]) -> bool:
    """Whether the parts stand in the path, one after the other."""
    return any(path[k : k + len(parts)] == parts for k in range(len(path) - len(parts) + 1))
