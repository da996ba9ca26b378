"""What is examined: folders, single files within their repositories, the standard input."""

import sys
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import UserError
from .python_files import SUFFIXES
from .settings import top_of

STDIN = "-"


@dataclass
class Target:
    """A folder that is read, and which of its files findings are shown of."""

    root: Path
    only: set[str] | None = None
    """The names below the folder; None: all of them."""
    shown: Path | None = None
    """How findings name the folder, where several are examined; None: not at all."""
    content: bytes | None = None
    """The standard input, in place of the folder's files."""


def gather(paths: list[Path]) -> list[Target]:
    """The targets that paths mean; raises `UserError` for what is neither folder nor Python."""
    targets: list[Target] = []
    for path in paths:
        if str(path) == STDIN:
            targets.append(Target(Path(), {STDIN}, content=sys.stdin.buffer.read()))
        elif path.is_dir():
            targets.append(Target(path))
        elif path.is_file() and path.suffix in SUFFIXES:
            _add_file(targets, path)
        elif path.exists():
            raise UserError(f"{path} is not a Python file, notebook or folder", 2)
        else:
            raise UserError(f"{path} is neither a file nor a folder; give a training repository", 2)
    if len(targets) > 1:
        for target in targets:
            target.shown = target.shown or target.root
    return targets


def _add_file(targets: list[Target], path: Path) -> None:
    """A file is judged with all of its repository in view, as rules look into other files."""
    top = top_of(path.resolve().parent)
    name = path.resolve().relative_to(top).as_posix()
    for target in targets:
        if target.only is not None and target.content is None and target.root == top:
            target.only.add(name)
            return
    here = Path.cwd()
    shown = top.relative_to(here) if top.is_relative_to(here) else top
    targets.append(Target(top, {name}, None if top == here else shown))
