"""The new project's repository and its first commit, independent of the user's git settings."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import UserError, disk_full

# The first commit holds everything that the project's own .gitignore lets through, byte for byte:
# no hooks, no signing, no line-ending conversion, no global excludes or filters, no daemon.
PLAIN = {
    "core.abbrev": "no",
    "core.hooksPath": os.devnull,
    "core.excludesFile": os.devnull,
    "core.attributesFile": os.devnull,
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.fsmonitor": "false",
    "commit.cleanup": "default",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
FALLBACK_IDENTITY = {"user.name": "torchgen", "user.email": "torchgen@localhost"}


@dataclass(frozen=True)
class Repository:
    """The new repository, if one was created."""

    created: bool
    commit: str | None
    """The first commit's hash."""
    note: str | None
    """One line for the user, if something unusual happened."""


def first_commit(project: Path, message: str) -> Repository:
    """Create a repository with one commit of everything, unless the folder is already in one.

    Raises `UserError` if git refuses.
    """
    if shutil.which("git") is None:
        return Repository(False, None, "git is not installed, so no repository was created")
    outer = _surrounding(project)
    if outer:
        note = f"inside the git repository {outer}, so no new one was created and nothing committed"
        return Repository(False, None, note)
    configured = _git(project, "config", "--get-regexp", r"^init\.", check=False).stdout
    wishes = dict(line.split(maxsplit=1) for line in configured.splitlines() if " " in line)
    branch = wishes.get("init.defaultbranch", "main")
    _git(project, "init", "--quiet", "--template=", f"--initial-branch={branch}")
    _git(project, "add", "--all", config=PLAIN)
    repository = _commit(project, message)
    if "init.templatedir" in wishes or "GIT_TEMPLATE_DIR" in os.environ:
        _git(project, "init", "--quiet", check=False)  # now the hooks from the user's template
    return repository


def next_commit(project: Path, message: str) -> None:
    """Commit all changes since the commit before. Raises `UserError` if git refuses."""
    _git(project, "add", "--all", config=PLAIN)
    _commit(project, message)


def _surrounding(project: Path) -> str | None:
    """The repository that contains the folder. Runs git only if there may be one."""
    if not any((folder / ".git").exists() for folder in project.resolve().parents):
        return None
    asked = _git(project, "rev-parse", "--show-toplevel", check=False)
    if asked.returncode and "not a git repository" in asked.stderr:
        return None
    return asked.stdout.strip() or "of another user"


def _commit(project: Path, message: str) -> Repository:
    """Commit what is staged, with a fallback identity if git has none."""
    command = ("commit", "--no-verify", "--message", message)
    note = None
    try:
        done = _git(project, *command, config={**PLAIN, "user.useConfigOnly": "true"})
    except UserError:
        done = _git(project, *command, config={**PLAIN, **FALLBACK_IDENTITY})
        note = (
            "user.name and user.email are not set in git, so the first commit is by torchgen; "
            "set them, then run git commit --amend --reset-author"
        )
    found = re.search(r"\(root-commit\) ([0-9a-f]+)\]", done.stdout)
    return Repository(True, found[1] if found else None, note)


def _git(
    folder: Path, *arguments: str, config: Mapping[str, str] | None = None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    settings = [word for key, value in (config or {}).items() for word in ("-c", f"{key}={value}")]
    done = subprocess.run(
        ["git", *settings, *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if check and done.returncode:
        if full := disk_full(done.stderr, folder):
            raise full  # `scratch_folder` adds where
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        raise UserError(f"git {arguments[0]} failed ({reason}); fix that, or use --no-git")
    return done
