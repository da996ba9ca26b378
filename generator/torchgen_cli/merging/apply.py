"""Write a merge into the user's working tree, uncommitted; undo everything if that fails."""

import os
from contextlib import suppress
from pathlib import Path

from ..base import signals
from ..base.errors import UserError
from ..base.git import GitError, git, git_bytes
from ..base.project import Project
from .merge import Merged


def apply(project: Project, merged: Merged, scratch: Path) -> None:
    """Write and remove files, and mark conflicts in git's index.

    `scratch` is on the same disk. Raises `UserError`; the tree is then unchanged.
    """
    prefix = git(project.path, "rev-parse", "--show-prefix")
    top = Path(os.path.abspath(project.path / git(project.path, "rev-parse", "--show-cdup")))
    _check_free(project.path, merged)
    ready = _prepare(top, prefix, merged, scratch)
    conflicts = _index_lines(top, prefix, merged)
    signals.check()
    signals.ignore()  # the rest takes milliseconds
    undo: list[tuple[Path, Path | None]] = []
    try:
        _move_in(project.path, merged, ready, scratch / "before", undo)
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
        raise UserError(f"cannot write to {project.path}: {reason}; nothing was changed") from error
    _drop_empty_folders(project.path, merged.remove)


def _check_free(folder: Path, merged: Merged) -> None:
    """Raise `UserError` if a file that git ignores, and so cannot restore, would be overwritten."""
    for change in merged.changes:
        place = folder / change.path
        if change.kind == "new" and os.path.lexists(place):
            raise UserError(
                f"the template's new {change.path} would overwrite your file, which git "
                "ignores; rename yours, or git add --force and commit it"
            )


def _prepare(top: Path, prefix: str, merged: Merged, scratch: Path) -> Path:
    """Check the new files out with the user's git settings, into a folder."""
    ready = scratch / "ready"
    env = {
        "GIT_INDEX_FILE": str(scratch / "ready.index"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(merged.objects),
    }
    lines = (f"{mode} {sha}\t{prefix}{path}\0" for path, (mode, sha) in merged.write.items())
    git(top, "update-index", "-z", "--index-info", env=env, stdin=_encoded("".join(lines)))
    git(top, "checkout-index", "--all", f"--prefix={ready.as_posix()}/", env=env)
    return ready / prefix


def _index_lines(top: Path, prefix: str, merged: Merged) -> bytes:
    """The index entries of the conflicts; their content is written to the repository."""
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
    """Move old files out and new files in; `undo` lists how to revert it."""
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
