"""Put a merge into the user's tree: all of it or nothing, uncommitted."""

import os
from contextlib import suppress
from pathlib import Path

from . import signals
from .errors import UserError
from .gitrun import GitError, git, git_bytes
from .merge import Merged
from .project import Project


def apply(project: Project, merged: Merged, workshop: Path) -> None:
    """Write and remove files, and mark conflicts in git's index.

    `workshop` is on the tree's own disk. Raises `UserError`; the tree is then as before.
    """
    prefix = git(project.path, "rev-parse", "--show-prefix")
    top = Path(os.path.abspath(project.path / git(project.path, "rev-parse", "--show-cdup")))
    _check_free(project.path, merged)
    ready = _prepare(top, prefix, merged, workshop)
    conflicts = _index_lines(top, prefix, merged)
    signals.check()
    signals.ignore()  # from here on it takes milliseconds
    undo: list[tuple[Path, Path | None]] = []
    try:
        _move_in(project.path, merged, ready, workshop / "before", undo)
        if conflicts:  # last, as git itself writes all of its index or nothing
            git(top, "update-index", "-z", "--index-info", stdin=conflicts)
    except (OSError, GitError) as error:
        for place, before in reversed(undo):
            if before:
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(before, place)
            else:
                place.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"cannot write into {project.path}: {reason}; it is as before") from error
    _drop_empty_folders(project.path, merged.remove)


def _check_free(folder: Path, merged: Merged) -> None:
    """Refuse to write over what git ignores, and could not bring back."""
    for change in merged.changes:
        place = folder / change.path
        if change.kind == "new" and os.path.lexists(place):
            raise UserError(
                f"the template's new {change.path} would replace a file of yours that git "
                "ignores; rename yours, or git add --force and commit it"
            )


def _prepare(top: Path, prefix: str, merged: Merged, workshop: Path) -> Path:
    """A folder with what is to be written, as the user's git would check it out."""
    ready = workshop / "ready"
    env = {
        "GIT_INDEX_FILE": str(workshop / "ready.index"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(merged.objects),
    }
    lines = (f"{mode} {sha}\t{prefix}{path}\0" for path, (mode, sha) in merged.write.items())
    git(top, "update-index", "-z", "--index-info", env=env, stdin=_encoded("".join(lines)))
    git(top, "checkout-index", "--all", f"--prefix={ready.as_posix()}/", env=env)
    return ready / prefix


def _index_lines(top: Path, prefix: str, merged: Merged) -> bytes:
    """What git's index is to say of the conflicts; their content goes into the repository."""
    lines = []
    for path, stages in merged.stages.items():
        lines.append(f"0 {'0' * len(next(iter(stages.values()))[1])}\t{prefix}{path}\0")
        for stage, (mode, sha) in sorted(stages.items()):
            content = git_bytes(merged.folder, "cat-file", "blob", sha)
            git(top, "hash-object", "-w", "--stdin", stdin=content)
            lines.append(f"{mode} {sha} {stage}\t{prefix}{path}\0")
    return _encoded("".join(lines))


def _encoded(lines: str) -> bytes:
    return lines.encode("utf-8", "surrogateescape")


def _move_in(
    folder: Path,
    merged: Merged,
    ready: Path,
    before: Path,
    undo: list[tuple[Path, Path | None]],
) -> None:
    """Move files out and in, noting in `undo` how to go back."""
    before.mkdir()
    # removals first: a file may become a folder
    for number, path in enumerate([*merged.remove, *merged.write]):
        place, aside = folder / path, before / str(number)
        if os.path.lexists(place):
            os.replace(place, aside)
            undo.append((place, aside))
    for path in merged.remove:
        with suppress(OSError):
            (folder / path).parent.rmdir()
    for path in merged.write:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(ready / path, place)
        undo.append((place, None))


def _drop_empty_folders(folder: Path, removed: list[str]) -> None:
    for path in removed:
        for parent in Path(path).parents[:-1]:
            with suppress(OSError):  # not empty, or gone already
                (folder / parent).rmdir()
