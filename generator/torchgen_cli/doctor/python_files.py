"""The files of a project, of one kind or another."""

import os
import subprocess
from pathlib import Path

from ..base.git import GIT_LOCATIONS

SUFFIXES = (".py", ".ipynb")
SKIPPED = {"__pycache__", "build", "dist", "env", "node_modules", "site-packages", "venv"}


def find(root: Path, suffixes: tuple[str, ...] = SUFFIXES) -> list[str]:
    """The files of a kind that are part of the project, as names below its folder."""
    listed = _by_git(root, suffixes)
    names = listed if listed else _by_walking(root, suffixes)
    kept = []
    for name in names:
        folders = name.split("/")[:-1]
        if SKIPPED.isdisjoint(folders) and not any(part.startswith(".") for part in folders):
            kept.append(name)
    return sorted(kept)


def _by_git(root: Path, suffixes: tuple[str, ...]) -> list[str]:
    """The files that git does not ignore; none without git or a repository."""
    if not any((folder / ".git").exists() for folder in (root, *root.resolve().parents)):
        return []
    env = {k: v for k, v in os.environ.items() if k not in GIT_LOCATIONS}
    command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", "ls-files", "-z"]
    try:
        done = subprocess.run(
            [
                *(*command, "--cached", "--others", "--exclude-standard", "--"),
                *(f"*{suffix}" for suffix in suffixes),
            ],
            cwd=root,
            env=env,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    names = {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}
    return [name for name in names if is_own_file(root, root / name)]


def _by_walking(root: Path, suffixes: tuple[str, ...]) -> list[str]:
    names = []
    for folder, inner, files in os.walk(root):
        here = Path(folder)
        inner[:] = [
            name
            for name in inner
            if not (
                name in SKIPPED or name.startswith(".") or (here / name / "pyvenv.cfg").exists()
            )
        ]
        found = (here / file for file in files if file.endswith(suffixes))
        names += [path.relative_to(root).as_posix() for path in found if is_own_file(root, path)]
    return names


def is_own_file(root: Path, path: Path) -> bool:
    """Whether it is a file, and not a link to another file of the project."""
    linked = path.is_symlink() and path.resolve().is_relative_to(root.resolve())
    return path.is_file() and not linked
