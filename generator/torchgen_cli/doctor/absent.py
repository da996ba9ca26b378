"""Imports that ask for a file or a name of the project that the project does not have."""

import ast
import os
import re
from collections import defaultdict
from contextlib import suppress

from .defined import MAKES_NAMES, is_cared_for, names_of
from .documents import documents
from .kept import kept
from .leads import (
    Found,
    asked_for,
    files,
    holders,
    imported_files,
    is_of_library,
    is_package,
    places,
)
from .lookup import path_of
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
def unable_to_start(project: Project) -> frozenset[Module]:
    """The files with an import at the top that cannot succeed, and those that import them there."""
    importers: dict[Module, list[Module]] = defaultdict(list)
    found = []
    for module in project.modules:
        at_the_top = [one for one in module.import_statements if module.parents[one] is module.tree]
        if not failing(module).keys().isdisjoint(at_the_top):
            found.append(module)
        for other in {other for one in at_the_top for other in imported_files(module, one)}:
            importers[other].append(module)
    for module in found:  # it grows
        found += [other for other in importers[module] if other not in found]
    return frozenset(found)


def stops(module: Module, node: ast.AST) -> bool:
    """Whether it is the import for which a file cannot start."""
    return module.parents.get(node) is module.tree and node in failing(module)


def what_lacks(module: Module, source: str, name: str) -> str:
    """What an import asks for, and is nowhere that it may lead; empty where it may be there."""
    answers = [absence(module.project, found, name) for found in places(module, source)]
    if not answers:
        return misspelled(module, source, name)
    return answers[0] if all(answers) else ""


def misspelled(module: Module, source: str, name: str) -> str:
    """The file that is not there, where one beside it is nearly called so and has the name."""
    project = module.project
    folder = module.name.rpartition("/")[0]
    if "." in source or source in holders(project) or is_of_library(project, source):
        return ""
    for other, _ in (*project.functions.get(name, ()), *project.classes.get(name, ())):
        *beside, stem = path_of(other)
        if beside == folder.split("/")[: len(folder)] and is_nearly(source, stem):
            return absent_file(project, folder, source)
    return ""


def is_nearly(one: str, other: str) -> bool:
    """Whether two names differ in one letter, or in their capitals alone."""
    one, other = one.lower(), other.lower()
    pairs = enumerate(zip(one, other, strict=False))
    same = next((place for place, (first, second) in pairs if first != second), len(one))
    rest, ending = one[same:], other[same:]
    return rest[1:] in (ending, ending[1:]) or rest == ending[1:]


def absence(project: Project, found: Found, name: str) -> str:
    """What of an import is not there; empty where nothing is missing, or it cannot be told."""
    if found.missing:
        return absent_file(project, found.folder, found.missing)
    if not name or name.startswith("__"):
        return ""
    if found.file:
        return absent_name(project, found.file, name)
    if not is_package(project, found.folder):
        return absent_file(project, found.folder, name)
    lacking = absent_name(project, f"{found.folder}/__init__.py".lstrip("/"), name)
    return lacking if lacking and absent_file(project, found.folder, name) else ""


def absent_file(project: Project, folder: str, name: str) -> str:
    """The file of this name that a folder of code does not have; empty where it may come there."""
    there = os.listdir(project.root / folder)
    if (
        MADE.search(name)
        or any(one.partition(".")[0] == name for one in there)
        or not any(one.endswith(".py") for one in there)
        or name.encode() in recipes(project)
    ):
        return ""
    return f"{folder}/{name}.py".lstrip("/")


@kept
def recipes(project: Project) -> frozenset[bytes]:
    """The words of what says which files and modules are made, fetched or left out."""
    found = [documents(project.root)]
    for name, text in project.contents.items():
        if BUILDS.search(name):
            found.append(text)
        elif b"sys.modules" in text:
            found += [line for line in text.splitlines() if b"sys.modules" in line]
    for name in RECIPES:
        with suppress(OSError):
            found.append((project.root / name).read_bytes())
    return frozenset(word for text in found for word in re.findall(rb"\w+", text))


def absent_name(project: Project, file: str, name: str) -> str:
    """A name that a file does not define; empty where it does, or may."""
    module = files(project).get(file)
    names = names_of(module, started=False) if module else None
    if names is None or not names.isdisjoint((name, "__getattr__")):
        return ""
    if HIDDEN.search(project.contents[file]):
        return ""
    return f"`{name}` in {file}"


def is_suppressed(module: Module, node: ast.AST) -> bool:
    """Whether it is in a `with suppress(ImportError)`."""
    around = (one for one in module.ancestors(node) if isinstance(one, ast.With))
    return any(mentions(item.context_expr, "suppress") for one in around for item in one.items)
