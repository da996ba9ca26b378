"""All or nothing: a project is built in a hidden folder beside its place and moved when done."""

import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from . import signals
from .errors import FULL, UserError

PREFIX = ".torchgen-"
DAY = 24 * 60 * 60  # seconds


def check_target(target: Path) -> None:
    """Refuse, with `UserError`, a place where no project can be written."""
    if os.path.lexists(target) and not target.is_dir():
        raise UserError(f"{target} is a file; give a folder that is empty or does not exist yet")
    ancestor = next(path for path in (target, *target.parents) if os.path.lexists(path))
    if not ancestor.is_dir():
        raise UserError(f"{ancestor} is a file, so nothing can be written below it")
    if not os.access(ancestor, os.W_OK | os.X_OK):
        raise UserError(f"cannot write in {ancestor}; give a folder that you may write in")
    # A repository without any file, as from `git init` or a clone of a new one, is a fine start.
    present = sorted(set(os.listdir(ancestor)) - {".git"}) if ancestor == target else []
    if present:
        what = ", ".join(present[:3]) + (", ..." if len(present) > 3 else "")
        free = next(n for n in range(2, 10**6) if not os.path.lexists(f"{target}-{n}"))
        raise UserError(
            f"{target} is not empty ({what}); give a folder that is empty or does not exist yet, "
            f"such as {target}-{free}"
        )


@contextmanager
def workshop_in(base: Path) -> Iterator[Path]:
    """A hidden folder for the block, also for the temporary files of all libraries."""
    workshop = base / f"{PREFIX}{secrets.token_hex(4)}"
    try:
        try:
            workshop.mkdir(parents=True)
            _remove_forgotten(base)
            (workshop / "tmp").mkdir()
        except OSError as error:
            if error.errno in FULL:
                raise
            raise UserError(f"cannot write in {base}: {error.strerror}") from error
        tempfile.tempdir = str(workshop / "tmp")  # an interrupted Copier leaves clones behind
        yield workshop
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise UserError(
            f"the disk of {base} is full ({error.strerror}); free some room there and try again"
        ) from error
    finally:
        signals.ignore()
        tempfile.tempdir = None
        remove_tree(workshop)


def _remove_forgotten(base: Path) -> None:
    """Remove the workshops of commands that were killed: those of a day ago or more."""
    for folder in base.glob(f"{PREFIX}{'[0-9a-f]' * 8}"):
        with suppress(OSError):  # somebody else's
            if folder.stat().st_mtime < time.time() - DAY:
                remove_tree(folder)


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A workshop on the target's own disk, where the block writes `project_in(workshop, target)`.

    `published` makes that folder the target. If the block fails or is interrupted, the target, and
    parents made for it, are as before.
    """
    base = target if target.exists() else target.parent
    missing = [folder for folder in (base, *base.parents) if not folder.exists()]
    try:
        with workshop_in(base) as workshop:
            yield workshop
    finally:
        signals.ignore()
        for folder in missing:
            with suppress(OSError):  # not empty: the project is in it
                folder.rmdir()


def project_in(workshop: Path, target: Path) -> Path:
    """The project in the making; its last part is the target's, which names the project."""
    return workshop / "new" / target.name


@contextmanager
def published(project: Path, target: Path) -> Iterator[None]:
    """The project in its place from here on; taken back if the block fails."""
    signals.check()
    signals.ignore()
    moved: list[Path] = []
    try:
        _move(project, target, moved)
        yield
    except BaseException:
        for place in moved:
            remove_tree(place)
        raise


def _move(project: Path, target: Path, moved: list[Path]) -> None:
    """Move the project; an existing folder (perhaps the user's shell is in it) stays."""
    try:
        if not target.exists():
            project.rename(target)
            moved.append(target)
            return
        for child in sorted(project.iterdir()):
            place = target / child.name
            if os.path.lexists(place):
                raise FileExistsError(0, f"{child.name} was made by another program meanwhile")
            child.rename(place)
            moved.append(place)
    except OSError as error:
        raise UserError(f"cannot move the project to {target}: {error.strerror}") from error


def remove_tree(path: Path) -> None:
    """Remove a file or a folder, git's read-only objects on Windows included; absent is fine."""

    def make_writable_and_retry(function: Callable[[str], object], name: str, _: object) -> None:
        with suppress(OSError):
            os.chmod(name, stat.S_IRWXU)
            function(name)

    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for _ in range(40):  # a git that outlives an interrupted Copier may still be writing: up to 2 s
        if sys.version_info >= (3, 12):
            shutil.rmtree(path, onexc=make_writable_and_retry)
        else:
            shutil.rmtree(path, onerror=make_writable_and_retry)
        if not path.exists():
            break
        time.sleep(0.05)
