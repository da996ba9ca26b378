"""Where code writes the name of a flag, by which it may take it from all flags."""

import ast
import re

from ...kept import kept
from ...project import Module

# a text that is made of settings and a name: f"args.{name}"
OF_FLAGS = re.compile(r"[\"'](args|opts?|cfg|config|flags)\.", re.I)


def evaluates(module: Module) -> bool:
    """Whether a file computes what a text says, which may be the name of a flag."""
    return any(
        isinstance(call.func, ast.Name) and call.args and OF_FLAGS.search(ast.unparse(call.args[0]))
        for call in module.calls.get("eval", ())
    )


def writes(module: Module, names: set[str]) -> bool:
    """Whether a file has the name of a flag anywhere but where it is declared."""
    either = "|".join(map(re.escape, names)).encode()
    return re.search(rb"(?<![\w-])(%s)\b" % either, undeclared(module)) is not None


@kept
def undeclared(module: Module) -> bytes:
    """The lines of a file without those that declare flags."""
    lines = [*module.lines]
    for call in module.calls.get("add_argument", ()):
        for number in range(call.lineno, (call.end_lineno or call.lineno) + 1):
            lines[number - 1] = b""
    return b"\n".join(lines)
