"""The new project's repository and its first commit, whatever the user's git is set up to do."""

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
    """What came of it."""

    created: bool
    commit: str | None
    """The first commit's hash."""
    note: str | None
    """One line for the user, where something was not as usual."""


def first_commit(project: Path, message: str) -> Repository:
    """Make a repository of the folder with all of it in one commit, unless it is in one already.

    Raises `UserError` if git refuses.
    """
    if shutil.which("git") is None:
        return Repository(False, None, "git is not installed, so no repository was made")
    outer = _surrounding(project)
    if outer:
        note = f"inside the git repository {outer}, so no second one was made and nothing committed"
        return Repository(False, None, note)
    configured = _git(project, "config", "--get-regexp", r"^init\.", check=False).stdout
    wishes = dict(line.split(maxsplit=1) for line in configured.splitlines() if " " in line)
    branch = wishes.get("init.defaultbranch", "main")
    _git(project, "init", "--quiet", "--template=", f"--initial-branch={branch}")
    _git(project, "add", "--all", config=PLAIN)
    repository = _commit(project, message)
    if "init.templatedir" in wishes or "GIT_TEMPLATE_DIR" in os.environ:
        _git(project, "init", "--quiet", check=False)  # only now the hooks that users want in all
    return repository


def _surrounding(project: Path) -> str | None:
    """The repository that the folder is in. Asks git only if there may be one: a process each."""
    if not any((folder / ".git").exists() for folder in project.resolve().parents):
        return None
    asked = _git(project, "rev-parse", "--show-toplevel", check=False)
    if asked.returncode and "not a git repository" in asked.stderr:
        return None
    return asked.stdout.strip() or "of somebody else"


def _commit(project: Path, message: str) -> Repository:
    """Commit what is staged, under a fallback name if need be."""
    command = ("commit", "--no-verify", "--message", message)
    note = None
    try:
        done = _git(project, *command, config={**PLAIN, "user.useConfigOnly": "true"})
    except UserError:
        done = _git(project, *command, config={**PLAIN, **FALLBACK_IDENTITY})
        note = (
            "git knows no user.name and user.email, so the first commit is by torchgen; "
            "set them, then: git commit --amend --reset-author"
        )
    said = re.search(r"\(root-commit\) ([0-9a-f]+)\]", done.stdout)
    return Repository(True, said[1] if said else None, note)


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
            raise full  # `workshop_in` knows where
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        raise UserError(f"git {arguments[0]} failed ({reason}); mend it, or go on with --no-git")
    return done
