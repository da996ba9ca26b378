"""A project is built in a hidden scratch folder, and moved to its target when it is complete."""

import os
import re
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
# what a repository that was made elsewhere begins with, and keeps
KEPT = re.compile(r"(readme|licen[cs]e|copying|notice)(\..*)?|\.git(ignore|attributes)?", re.I)


def check_target(target: Path) -> None:
    """Raise `UserError` if no project can be written to the target."""
    if os.path.lexists(target) and not target.is_dir():
        raise UserError(f"{target} is a file; give a folder that is empty or does not exist yet")
    ancestor = next(path for path in (target, *target.parents) if os.path.lexists(path))
    if not ancestor.is_dir():
        raise UserError(f"{ancestor} is a file, so no folder can be created in it")
    if not os.access(ancestor, os.W_OK | os.X_OK):
        raise UserError(f"cannot write to {ancestor}; give a folder that you can write to")
    # a new repository, as from `git init` or a clone, is accepted
    present = sorted(set(os.listdir(ancestor)) - {".git"}) if ancestor == target else []
    if (target / ".git").exists() and all(map(KEPT.fullmatch, present)):
        return
    if present:
        what = ", ".join(present[:3]) + (", ..." if len(present) > 3 else "")
        free = next(n for n in range(2, 10**6) if not os.path.lexists(f"{target}-{n}"))
        raise UserError(
            f"{target} is not empty ({what}); give a folder that is empty or does not exist yet, "
            f"such as {target}-{free}"
        )


@contextmanager
def scratch_folder(base: Path) -> Iterator[Path]:
    """A hidden folder, removed after the block; libraries put their temporary files there, too."""
    scratch = base / f"{PREFIX}{secrets.token_hex(4)}"
    try:
        try:
            scratch.mkdir(parents=True)
            _remove_forgotten(base)
            (scratch / "tmp").mkdir()
        except OSError as error:
            if error.errno in FULL:
                raise
            raise UserError(f"cannot write to {base}: {error.strerror}") from error
        tempfile.tempdir = str(scratch / "tmp")  # an interrupted Copier leaves clones behind
        yield scratch
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise UserError(
            f"the disk with {base} is full ({error.strerror}); free some space and try again"
        ) from error
    finally:
        signals.ignore()
        tempfile.tempdir = None
        remove_tree(scratch)


def _remove_forgotten(base: Path) -> None:
    """Remove the scratch folders of killed commands, if they are older than a day."""
    for folder in base.glob(f"{PREFIX}{'[0-9a-f]' * 8}"):
        with suppress(OSError):  # somebody else's
            if folder.stat().st_mtime < time.time() - DAY:
                remove_tree(folder)


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A scratch folder on the target's disk, where the block writes `project_in(scratch, target)`.

    `published` makes that folder the target. If the block fails or is interrupted, the target, and
    parents made for it, are as before.
    """
    base = target if target.exists() else target.parent
    missing = [folder for folder in (base, *base.parents) if not folder.exists()]
    try:
        with scratch_folder(base) as scratch:
            yield scratch
    finally:
        signals.ignore()
        for folder in missing:
            with suppress(OSError):  # not empty: the project is in it
                folder.rmdir()


def project_in(scratch: Path, target: Path) -> Path:
    """The project's folder while it is built; it has the target's name, which names the project."""
    return scratch / "new" / target.name


@contextmanager
def published(project: Path, target: Path) -> Iterator[None]:
    """Move the project to its target; remove it again if the block fails."""
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
    """Move the project; an existing folder (perhaps the user's shell is in it) stays.

    So does what a new repository has.
    """
    try:
        if not target.exists():
            project.rename(target)
            moved.append(target)
            return
        for child in sorted(project.iterdir()):
            place = target / child.name
            if os.path.lexists(place) and KEPT.fullmatch(child.name):
                continue
            if os.path.lexists(place):
                raise FileExistsError(
                    0, f"{child.name} was created by another program in the meantime"
                )
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
