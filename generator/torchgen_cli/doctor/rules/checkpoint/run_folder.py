"""The folder to which a run writes."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ...kept import kept
from ...project import Module, Project
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    mentions,
)
from ...unused import is_never_named
from ..shared.states import plain_saves
from .paths import beginning_of

MAKING = re.compile(
    r"mk_?dir|make_?(dir|folder|path)|(create|ensure|prepare|check|setup|init)_?\w*(dir|folder|path|exp)"
    r"|SummaryWriter|FileWriter|copytree|FileHandler|^(system|run|Popen|call|check_call)$",
    re.I,
)
TEXTS = ("README*", "readme*", "*.sh", "Makefile", "scripts/*.sh", "docs/*.md", "*.md", "*.bat")
LARGE = 200_000  # bytes; what tells how to run a program stands before


@rule(
    "TG620",
    "nothing creates the folder that the run is saved to",
    why="""`torch.save` creates no folders: this one is not in the repository, and no code in the
    program creates it. The first checkpoint, after the whole first epoch, fails with an error.""",
    remedy="call `os.makedirs(folder, exist_ok=True)` at the start of the run",
    source="https://docs.python.org/3/library/os.html#os.makedirs",
    bad="""
import torch


def save(model, name):
    torch.save(model.state_dict(), f"checkpoints/{name}.pt")  # <--
""",
    good="""
import os

import torch


def save(model, name):
    os.makedirs("checkpoints", exist_ok=True)
    torch.save(model.state_dict(), f"checkpoints/{name}.pt")
""",
    severity=Severity.WARNING,
)
def no_folder(module: Module) -> Iterator[Spot]:
    told: set[str] = set()
    for call in plain_saves(module):
        path = argument(call, 1, "f")
        if path is None or has_stars(call) or asks_before(module, call):
            continue
        text = beginning_of(module, path)[0]
        folder = text.rpartition("/")[0]
        if not is_below(folder) or folder in told:
            continue
        told.add(folder)
        where = Path(module.name).parent
        if exists(module.project, where, folder) or is_made(module, folder):
            continue
        yield Spot(call, folder)


def asks_before(module: Module, call: ast.Call) -> bool:
    """Whether it is tried, or reached only where something exists."""
    return any(
        isinstance(one, ast.Try) or (isinstance(one, ast.If) and mentions(one.test, "exist", "dir"))
        for one in module.ancestors(call)
    )


def is_below(folder: str) -> bool:
    """Whether a folder is said to be below the one where the program is started."""
    first = PurePosixPath(folder).parts[:1]
    return bool(first) and first[0] not in ("/", "~", "..") and not folder.startswith(("$", "{"))


def exists(project: Project, where: Path, folder: str) -> bool:
    """Whether the repository has the folder, seen from its root or from a script."""
    near = [project.root / one / folder for one in (Path(), where, *where.parents)]
    if any(one.is_dir() for one in near):
        return True
    first = PurePosixPath(folder).parts[0]
    return any(first in Path(m.name).parent.parts for m in project.modules)


def is_made(module: Module, folder: str) -> bool:
    """Whether something may make the folder, or tells the user to."""
    first = PurePosixPath(folder).parts[0]
    if first in told_to_make(module.project.root):
        return True
    for other in module.project.code:
        for name, calls in other.calls.items():
            for call in calls if MAKING.search(name) else ():
                text = beginning_of(other, call.args[0] if call.args else None)[0]
                here = not is_below(text) or PurePosixPath(text).parts[0] == first
                if here and not in_unused_helper(other, call):
                    return True
    return False


def in_unused_helper(module: Module, call: ast.Call) -> bool:
    """Whether a call is in a function that makes folders by its name, and that nothing names."""
    function = module.function(call)
    plain = isinstance(function, FUNCTIONS) and isinstance(module.parents[function], ast.Module)
    if not isinstance(function, FUNCTIONS) or not plain or not MAKING.search(function.name):
        return False
    return not function.decorator_list and is_never_named(module.project, function.name)


@kept
def told_to_make(root: Path) -> frozenset[str]:
    """The words of the lines with `mkdir` in the texts and scripts of a repository."""
    files = [file for pattern in TEXTS for file in root.glob(pattern) if file.is_file()]
    words: set[str] = set()
    for file in files:
        with suppress(OSError):  # that may not be read
            text = file.read_bytes()[:LARGE].decode(errors="replace")
            for line in text.splitlines():
                if re.search(r"mkdir|creat\w+|make", line, re.I):
                    words.update(re.split(r"[^\w.-]+", line))
    return frozenset(words)
