"""Imports that ask for a file or a name of the project that the project does not have."""

import ast
import os
import re
from contextlib import suppress

from .defined import MAKES_NAMES, is_cared_for, names_of
from .documents import documents
from .kept import kept
from .leads import Found, asked_for, files, imported_files, is_package, places
from .project import Module, Project
from .syntax import mentions

# ways to give a module names, or to make one, that no definition and no file shows
HIDDEN = re.compile(MAKES_NAMES.pattern + rb"|\bsys\.modules\b|\bvars\(\)|\blocals\(\)\[")
# what compilers make has such a name
MADE = re.compile(r"^_|_(pb2|pb2_grpc|cuda|cpp|cpu|ext)$")
# what says which files are made, fetched or left out, beside the pages
RECIPES = (".gitignore", ".gitmodules", "Makefile", "Dockerfile")
BUILDS = re.compile(r"(^|/)(setup|build|compile|make)[^/]*\.py$")


@kept
def failing(module: Module) -> dict[ast.stmt, str]:
    """The imports of a file that cannot succeed, each with what is missing."""
    if not module.name.endswith(".py"):
        return {}
    found: dict[ast.stmt, str] = {}
    for statement in module.import_statements:
        lacking = (what_lacks(module, source, name) for source, name in asked_for(statement))
        what = next(filter(None, lacking), "")
        if what and not is_cared_for(module, statement) and not is_suppressed(module, statement):
            found[statement] = what
    return found


@kept
def cannot_start(module: Module) -> bool:
    """Whether an import at the top of a file, or of one that it imports there, cannot succeed."""
    pending = [module]
    for one in pending:  # it grows
        at_the_top = [node for node in one.import_statements if one.parents[node] is one.tree]
        if not failing(one).keys().isdisjoint(at_the_top):
            return True
        others = (other for node in at_the_top for other in imported_files(one, node))
        pending += dict.fromkeys(other for other in others if other not in pending)
    return False


def stops(module: Module, node: ast.AST) -> bool:
    """Whether it is the import for which a file cannot start."""
    return module.parents.get(node) is module.tree and node in failing(module)


def what_lacks(module: Module, source: str, name: str) -> str:
    """What an import asks for, and is nowhere that it may lead; empty where it may be there."""
    answers = [absence(module.project, found, name) for found in places(module, source)]
    return answers[0] if answers and all(answers) else ""


def absence(project: Project, found: Found, name: str) -> str:
    """What of an import is not there; empty where nothing is missing, or it cannot be told."""
    if found.missing:
        return absent_file(project, found.folder, found.missing)
    if not name or name.startswith("__"):
        return ""
    if found.file:
        return absent_name(project, found.file, name)
    file = absent_file(project, found.folder, name)
    if not file or not is_package(project, found.folder):
        return file
    return absent_name(project, f"{found.folder}/__init__.py".lstrip("/"), name)


def absent_file(project: Project, folder: str, name: str) -> str:
    """The file of this name that a folder of code does not have; empty where it may come there."""
    there = os.listdir(project.root / folder)
    written = re.compile(rb"\b%s\b" % name.encode())
    if (
        MADE.search(name)
        or any(one.partition(".")[0] == name for one in there)
        or not any(one.endswith(".py") for one in there)
        or project.contains(b"sys.modules")
        or written.search(documents(project.root))
        or written.search(recipes(project))
    ):
        return ""
    return f"{folder}/{name}.py".lstrip("/")


@kept
def recipes(project: Project) -> bytes:
    """The text of what says which files are made, fetched or left out."""
    found = [text for name, text in project.contents.items() if BUILDS.search(name)]
    for name in RECIPES:
        with suppress(OSError):
            found.append((project.root / name).read_bytes())
    return b"\n".join(found)


def absent_name(project: Project, file: str, name: str) -> str:
    """A name that a file does not define; empty where it does, or may."""
    module = files(project).get(file)
    if module is None or HIDDEN.search(project.contents[file]):
        return ""
    names = names_of(module)
    if names is None or not names.isdisjoint((name, "__getattr__")):
        return ""
    return f"`{name}` in {file}"


def is_suppressed(module: Module, node: ast.AST) -> bool:
    """Whether it is in a `with suppress(ImportError)`."""
    around = (one for one in module.ancestors(node) if isinstance(one, ast.With))
    return any(mentions(item.context_expr, "suppress") for one in around for item in one.items)
