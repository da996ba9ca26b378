"""Code beside the program, where a fault harms no run: what is found there is a hint."""

import ast
import re
import sys
from pathlib import PurePath

from .branches_off import is_in_branch_off
from .demonstrations import demonstration
from .kept import kept
from .parsed import OTHERS, TEST_FOLDERS
from .project import Module, Project
from .syntax import last_name
from .unreached import is_unreached
from .unused import (
    in_unused_function,
    is_never_reached,
    is_unused,
)

NOTEBOOKS = re.compile(r"notebooks?|nbs?|examples?|demos?|tutorials?", re.I)
# folders of what a rewrite has left behind
KEPT_BACK = re.compile(r"old|archived?|legacy|deprecated|backups?|obsolete|unused", re.I)
# syntax that Python 2 alone reads, as the parser calls it
OLD_SYNTAX = re.compile(
    r"call to '(print|exec)'|multiple exception types|inconsistent use of tabs|leading zeros"
)
OLD_NAMES = re.compile(
    rb"\bxrange\(|\breload\(sys\)|\.has_key\(|^import (Queue|urllib2|ConfigParser)\b|\bunicode\(",
    re.M,
)
# what Python reads since 3.12: f-strings with their own quotes within, and parameters for types
NEW_SYNTAX = re.compile(
    rb"""^\s*(type\s+\w+.*=|(async\s+)?def\s+\w+\[|class\s+\w+\[)|\b([fF][rR]?|[rR][fF])["']"""
)
ASYNC = re.compile(rb"\basync\b\s*(?!def\b|for\b|with\b)[=,):.\]]")
TEMPLATE = re.compile(rb"\{\{-?\s*cookiecutter\b|^\s*\{%-?\s*(if|for|raw)\b", re.M)
OLD_SHEBANG = re.compile(rb"#!.*python2")
OTHER_LIBRARY = re.compile(rb"^\s*(?:import|from)\s+(\w+)", re.M)


def is_aside(module: Module, node: ast.AST) -> bool:
    """Whether a place is in a demonstration, in code that nothing uses, or in a side notebook."""
    if module.name.endswith(".ipynb"):
        flag = isinstance(node, ast.Call) and last_name(node.func) == "add_argument"
        return flag or is_side_notebook(module)  # nobody gives a notebook flags
    if is_kept_back(module) or is_never_reached(module, node):
        return True
    around = demonstration(module)
    shown = around is not None and (node is around or around in module.ancestors(node))
    unused = is_unused(module) or in_unused_function(module, node)
    return shown or unused or is_unreached(module, node) or is_in_branch_off(module, node)


@kept
def is_kept_back(module: Module) -> bool:
    """Whether it is in a folder of old code, which no other code imports, and that trains too."""
    folders = module.name.split("/")[:-1]
    name = next(filter(KEPT_BACK.fullmatch, folders), None)
    if name is None:
        return False
    others = [other for other in module.project.code if name not in other.name.split("/")]
    imported = any(
        name in part.split(".")
        for other in others
        for statement in other.import_statements
        for part in (getattr(statement, "module", None) or "", *(a.name for a in statement.names))
    )
    return not imported and any("backward" in other.calls for other in others)


@kept
def is_side_notebook(module: Module) -> bool:
    """Whether it is in a folder of notebooks, and the program that trains is elsewhere."""
    folders = module.name.split("/")[:-1]
    return any(map(NOTEBOOKS.fullmatch, folders)) and any(
        "backward" in other.calls and other.name.endswith(".py") for other in module.project.code
    )


def is_for_python_2(project: Project, name: str, content: bytes, message: str) -> bool:
    """Whether a file that does not parse was never meant for Python 3."""
    if OLD_SYNTAX.search(message) is None:
        return False
    tested = not TEST_FOLDERS.isdisjoint(PurePath(name).parent.parts)
    meant = OLD_SHEBANG.match(content) is not None or project.stays_before("python", "3.0")
    if meant or b"torch" not in content or tested:
        return True
    base = PurePath(name).name
    newer = any(PurePath(module.name).name == base for module in project.modules)
    contents = [content, *(project.contents[module.name] for module in project.code)]
    return newer or any(b"six" not in text and OLD_NAMES.search(text) for text in contents)


def is_beyond_us(content: bytes, line: int, message: str) -> bool:
    """Whether a newer Python may parse a file that this one does not, or once it is filled in."""
    lines = content.splitlines()
    newer = message.startswith("f-string") or any(map(NEW_SYNTAX.search, lines[line - 1 : line]))
    return (newer and sys.version_info < (3, 12)) or TEMPLATE.search(content) is not None


def is_empty_demonstration(project: Project, name: str, content: bytes, message: str) -> bool:
    """Whether all that lacks is what a file does when it is started, and nothing imports it."""
    asked = re.search(r"after 'if' statement on line (\d+)", message)
    line = content.splitlines()[int(asked[1]) - 1] if asked else b""
    return b"__main__" in line and PurePath(name).stem not in project.imported_parts


def is_for_python_3_6(project: Project, content: bytes, line: int) -> bool:
    """Whether a line uses `async` as a name, and the project is for a Python that allows it."""
    named = any(map(ASYNC.search, content.splitlines()[line - 1 : line]))
    older = project.stays_before("python", "3.7") or project.stays_before_torch("0.4.1")
    return named and older


def is_for_another_library(content: bytes) -> bool:
    """Whether a file that does not parse imports another library, and not torch."""
    roots = {match[1].decode() for match in OTHER_LIBRARY.finditer(content)}
    return "torch" not in roots and not OTHERS.isdisjoint(roots)
