"""git, for what it must answer: its output, or `GitError` with its reason."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .errors import disk_full
from .provenance import GIT_LOCATIONS

# A repository of ours is to know nothing of the user's git: no hooks, filters, signing, templates.
ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "torchgen",
    "GIT_AUTHOR_EMAIL": "torchgen@localhost",
    "GIT_COMMITTER_NAME": "torchgen",
    "GIT_COMMITTER_EMAIL": "torchgen@localhost",
}


class GitError(Exception):
    """git refused; the message is its last line."""


def git(
    folder: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    asks: bool = False,
) -> str:
    """What git prints, without the last line's end; names that are not UTF-8 survive.

    `asks` lets it ask for a password on the terminal. Raises `GitError`, or `OSError` on a full
    disk, which the workshop that git wrote in answers.
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
            # a Ctrl-C is ours to answer, and would stop git half-way; without a terminal it cannot
            start_new_session=not asks,
        )
    except OSError as error:
        raise GitError(error.strerror or str(error)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        if full := disk_full(said):
            raise full  # `workshop_in` knows where
        raise GitError(said.splitlines()[-1] if said else f"exit code {done.returncode}")
    return done.stdout


def fields(output: str) -> list[str]:
    """The parts of what git prints with -z."""
    return output.split("\0")[:-1] if output.endswith("\0") else output.split("\0") * bool(output)
