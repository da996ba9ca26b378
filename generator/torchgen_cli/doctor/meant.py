"""Which functions and classes a name may mean that is looked up as a text."""

import ast
import re

from .kept import kept
from .project import Module, Project
from .syntax import FUNCTIONS
from .unused import is_open
from .words import is_written_as_text

# what looks through all that a file defines
LOOKS = (b".__dict__.items()", b".__dict__.values()", b"getmembers(", b" dir(")
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def may_be_named(module: Module, node: ast.AST) -> bool:
    """Whether a name that is looked up as a text may be that of a function or a class.

    It is written in a string, a page or a configuration, or put together; or all the classes of a
    file are looked through.
    """
    project = module.project
    looks = is_open(project) and any(map(project.contains, LOOKS))
    if not isinstance(node, DEFINITIONS) or (looks and isinstance(node, ast.ClassDef)):
        return True
    begun, ended = fragments(project)
    put_together = node.name.startswith(begun) or node.name.endswith(ended)
    return put_together or is_written_as_text(module, node, node.name)


@kept
def fragments(project: Project) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What names that are put together begin and end with: `f"train_{kind}"`, `kind + "_step"`."""
    found = {
        one.value
        for module in project.modules
        for one, around in module.parents.items()
        if isinstance(one, ast.Constant)
        and isinstance(one.value, str)
        and isinstance(around, ast.JoinedStr | ast.BinOp)
    }
    begun = {one.partition("%")[0].rpartition(".")[2] for one in found}
    ended = {one.rpartition("%s")[2] for one in found}
    return (
        tuple(one for one in begun if re.fullmatch(r"[^\W\d]\w+_", one)),
        tuple(one for one in ended if re.fullmatch(r"_\w+", one)),
    )
