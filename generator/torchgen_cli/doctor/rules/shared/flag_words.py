"""Where code writes the name of a flag, by which it may take it from all flags."""

import ast
import re

from ...kept import kept
from ...project import Module


def evaluates(module: Module) -> bool:
    """Whether a file computes what a text says, which may be the name of a flag."""
    named = any(isinstance(call.func, ast.Name) for call in module.calls.get("eval", ()))
    return named and "eval" not in module.project.functions


def writes(module: Module, names: set[str]) -> bool:
    """Whether a file has the name of a flag anywhere but where it is declared."""
    either = "|".join(map(re.escape, names)).encode()
    return re.search(rb"(?<![\w-])(%s)\b" % either, undeclared(module)) is not None


@kept
def undeclared(module: Module) -> bytes:
    """The lines of a file without those that declare flags."""
    lines = module.project.contents[module.name].splitlines()
    for call in module.calls.get("add_argument", ()):
        for number in range(call.lineno, (call.end_lineno or call.lineno) + 1):
            lines[number - 1] = b""
    return b"\n".join(lines)
