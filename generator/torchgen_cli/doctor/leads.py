"""Where imports lead to: the files and folders of the project that they name."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from .kept import kept
from .project import Module, Project
from .requirements import is_required


class Found(NamedTuple):
    """Where an import leads."""

    folder: str
    """The folder that the parts of its name lead to, as far as they are there."""
    file: str = ""
    """The file, where they end at one."""
    missing: str = ""
    """The first part that is not there."""


def asked_for(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """(the module, the name in it, which may be empty) of each thing that is imported."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            yield alias.name, ""
        else:
            name = "" if alias.name == "*" else alias.name
            yield "." * statement.level + (statement.module or ""), name


@kept
def places(module: Module, source: str) -> list[Found]:
    """Where an import may lead, from each folder where it may start; none for a library."""
    project = module.project
    level = len(source) - len(source.lstrip("."))
    here = module.name.split("/")[:-1]
    parts = parts_of(source)
    if level > len(here) + 1:
        return []
    if level:
        return [look_up(project, "/".join(here[: len(here) - level + 1]), parts)]
    around = ["/".join(here[:depth]) for depth in range(len(here), -1, -1)]
    folders = holders(project).get(parts[0], set())
    near = [one for one in around if one in folders and is_searched(project, one, parts[0])]
    if not near or is_of_library(project, parts[0]):
        return []
    elsewhere = [look_up(project, one, parts) for one in folders.difference(near)]
    return [
        *(look_up(project, one, parts) for one in near),
        *(one for one in elsewhere if not one.missing),
    ]


def is_of_library(project: Project, name: str) -> bool:
    """Whether Python, or what the project asks for, has a module of this name."""
    return name in sys.stdlib_module_names or is_required(project.root, name)


def parts_of(source: str) -> list[str]:
    """The names in `..package.file`."""
    return [part for part in source.split(".") if part]


@kept
def holders(project: Project) -> dict[str, set[str]]:
    """The folders with a file or a folder of each name, as far as there is code in it."""
    found = defaultdict(set)
    for name in (*project.contents, *project.broken, *project.generated):
        parts = name.removesuffix(".py").split("/")
        for depth, part in enumerate(parts):
            found[part].add("/".join(parts[:depth]))
    return found


def is_searched(project: Project, folder: str, name: str) -> bool:
    """Whether an import takes a name from a folder, and not what a library calls so."""
    if folder and is_package(project, folder):
        return False
    inner = f"{folder}/{name}".lstrip("/")
    is_file = (project.root / f"{inner}.py").is_file()
    return is_file or is_package(project, inner) or inner in namespaces(project)


def is_package(project: Project, folder: str) -> bool:
    """Whether a folder has an `__init__.py`."""
    return (project.root / folder / "__init__.py").is_file()


@kept
def namespaces(project: Project) -> frozenset[str]:
    """The folders in which an import that begins with their name finds a file."""
    found = set()
    for module in project.modules:
        for statement in module.import_statements:
            for source, name in asked_for(statement):
                parts = parts_of(f"{source}.{name}")
                for folder in () if source.startswith(".") else holders(project).get(parts[0], ()):
                    leads = (look_up(project, folder, one) for one in (parts, parts[:-1]))
                    if any(one.file for one in leads):
                        found.add(f"{folder}/{parts[0]}".lstrip("/"))
    return frozenset(found)


def look_up(project: Project, folder: str, parts: list[str]) -> Found:
    """Where the parts of an import's name lead to from a folder."""
    for number, part in enumerate(parts):
        inner = f"{folder}/{part}".lstrip("/")
        is_file = (project.root / f"{inner}.py").is_file()
        if is_package(project, inner) or (not is_file and (project.root / inner).is_dir()):
            folder = inner
        elif is_file and number == len(parts) - 1:
            return Found(folder, f"{inner}.py")
        else:
            return Found(folder, missing=part)
    return Found(folder)


def imported_files(module: Module, statement: ast.Import | ast.ImportFrom) -> Iterator[Module]:
    """The files of the project that surely run when a statement imports from them."""
    for source, name in asked_for(statement):
        there = [one for one in places(module, source) if not one.missing]
        if len(there) == 1:
            yield from files_at(module.project, there[0], name)


def nearest_files(module: Module, statement: ast.Import | ast.ImportFrom) -> list[Module]:
    """The files that a statement imports from, of several of a name those that lie nearest."""
    leads = [
        (name, next((one for one in places(module, source) if not one.missing), None))
        for source, name in asked_for(statement)
    ]
    return [
        file
        for name, found in leads
        for file in (files_at(module.project, found, name) if found is not None else ())
    ]


def files_at(project: Project, found: Found, name: str) -> list[Module]:
    """The files that run when a name is imported from a place."""
    known = files(project)
    folders = found.folder.split("/")
    packages = ["/".join(folders[: depth + 1]) for depth in range(len(folders))]
    names = [*(f"{one}/__init__.py" for one in packages), found.file]
    if name and not found.file:
        names.append(f"{found.folder}/{name}.py".lstrip("/"))
    return [known[one] for one in names if one in known]


@kept
def files(project: Project) -> dict[str, Module]:
    """The files that were parsed, by their names."""
    return {module.name: module for module in project.modules}
