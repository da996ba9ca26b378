"""Running git: its output, or `GitError` with the reason."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .errors import disk_full

# Set by git for hooks and aliases; they would make our git use another repository.
GIT_LOCATIONS = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)

# Isolates our temporary repositories from the user's git: no hooks, filters, signing, templates.
ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "torchgen",
    "GIT_AUTHOR_EMAIL": "torchgen@localhost",
    "GIT_COMMITTER_NAME": "torchgen",
    "GIT_COMMITTER_EMAIL": "torchgen@localhost",
}


class GitError(Exception):
    """git failed; the message is the last line of its output."""


def git(
    folder: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    asks: bool = False,
) -> str:
    """What git prints, without the last line's end; names that are not UTF-8 survive.

    `asks` lets it ask for a password on the terminal. Raises `GitError`, or `OSError` on a full
    disk, which `scratch_folder` turns into a `UserError`.
    """
    output = git_bytes(folder, *arguments, env=env, stdin=stdin, asks=asks)
    return output.decode("utf-8", "surrogateescape").rstrip("\n")


def git_bytes(
    folder: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    asks: bool = False,
) -> bytes:
    """The same, as bytes."""
    inherited = {k: v for k, v in os.environ.items() if k not in GIT_LOCATIONS}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**inherited, "LC_ALL": "C", **(env or {})},
            input=stdin,
            capture_output=True,
            check=False,
            # a Ctrl-C is for us to handle; it would stop git half-way
            start_new_session=not asks,
        )
    except OSError as error:
        raise GitError(error.strerror or str(error)) from error
    if done.returncode:
        output = done.stderr.decode("utf-8", "replace").strip()
        if full := disk_full(output):
            raise full  # `scratch_folder` adds where
        raise GitError(output.splitlines()[-1] if output else f"exit code {done.returncode}")
    return done.stdout


def fields(output: str) -> list[str]:
    """Split the output of a git command with -z."""
    return output.split("\0")[:-1] if output.endswith("\0") else output.split("\0") * bool(output)


def git_output(folder: Path, *arguments: str) -> str | None:
    """What git prints, stripped; None if git or the folder is missing, or git fails."""
    env = {k: v for k, v in os.environ.items() if k not in GIT_LOCATIONS}
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *arguments],
            cwd=folder,
            env=env,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
