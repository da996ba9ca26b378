"""A generated project in its git repository, in a state that can be changed and gone back from."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .errors import UserError
from .gitrun import GitError, fields, git

ANSWERS_FILE = ".copier-answers.yml"
UNMERGED = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")


@dataclass(frozen=True)
class Project:
    """What `.copier-answers.yml` and git say of it."""

    path: Path
    answers: dict[str, Any]
    """As text where they are scalars: `amp: off` is "off"."""
    source: str
    """The template's repository; empty if none is recorded."""
    commit: str
    """The template's version; empty if none is recorded."""

    @property
    def stamp(self) -> dict[str, str]:
        """What the template's answers file records."""
        record = {"_src_path": self.source, "_commit": self.commit}
        return {name: value for name, value in record.items() if value}


@dataclass(frozen=True)
class State:
    """What of a project's folder is not as it was committed, or cannot stay so."""

    changed: list[str]
    conflicts: list[str]
    """Unmerged files; where there are none, those that were committed with conflicts in them."""


def read_project(path: str) -> Project:
    """The project at `path`, in git or not. Raises `UserError` if there is none."""
    folder = Path(os.path.abspath(path))
    if not folder.is_dir():
        raise UserError(f"{path} is no folder; give that of a project made by torchgen new")
    file = folder / ANSWERS_FILE
    if not file.is_file():
        raise UserError(f"{folder} holds no {ANSWERS_FILE}; {_where_else(folder)}")
    try:
        text = file.read_text(encoding="utf-8-sig")
        typed, plain = yaml.safe_load(text), yaml.load(text, Loader=yaml.BaseLoader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"{file} cannot be read ({error}); git restore it") from error
    if not isinstance(typed, dict):
        raise UserError(f"{file} holds no lines of the form `question: answer`; git restore it")
    # the text, as YAML would take an unquoted off for False; but null, lists and mappings are kept
    record = {
        key: plain[str(key)] if isinstance(value, str | int | float) else value
        for key, value in typed.items()
        if str(key) in plain
    }
    answers = {key: value for key, value in record.items() if not key.startswith("_")}
    source, commit = (str(record.get(name) or "") for name in ("_src_path", "_commit"))
    return Project(folder, answers, source, commit)


def _where_else(folder: Path) -> str:
    """Where a project is, if not in this folder."""
    for parent in folder.parents:
        if (parent / ANSWERS_FILE).is_file():
            return f"the project is {parent}: give that as PATH"
    found = sorted(file.parent.name for file in folder.glob(f"*/{ANSWERS_FILE}"))
    if found:
        return f"there are projects below: give {' or '.join(found)} as PATH"
    return "give the folder of a project made by torchgen new"


def check_reversible(project: Project) -> None:
    """Refuse, with `UserError`, a project that git could not bring back to what it is now."""
    folder = project.path
    check_repository(folder)
    state = state_of(folder)
    if state.conflicts:
        raise UserError(
            f"a former update left conflicts in {_listed(state.conflicts)}; "
            "resolve them, git add, git commit"
        )
    if state.changed:
        raise UserError(
            f"changes are not committed: {_listed(state.changed)}; git commit (or git stash -u) "
            "them first, so that the changes to come can be told from them and undone"
        )
    try:
        git(folder, "symbolic-ref", "--quiet", "HEAD")
    except GitError as error:
        raise UserError(
            "no branch is checked out (HEAD is detached), so a commit could get lost; git switch "
            "to a branch first, or git switch -c NAME"
        ) from error


def check_repository(folder: Path) -> None:
    """Refuse, with `UserError`, a folder where git is of no help."""
    if shutil.which("git") is None:
        raise UserError("git is not installed; it merges the changes and can undo them: install it")
    try:
        git(folder, "rev-parse", "--show-toplevel")
    except GitError as error:
        if "not a git repository" not in str(error):
            raise UserError(f"git refuses {folder}: {error}") from error
        raise UserError(
            f"{folder} is in no git repository, so nothing could be undone; "
            "git init there, git add --all, git commit"
        ) from error


def state_of(folder: Path) -> State:
    """What git says of the folder's files. Raises `GitError`."""
    command = ("--no-optional-locks", "status", "--porcelain", "-z", "--no-renames")
    status = fields(git(folder, *command, "--", "."))
    unmerged = [line[3:] for line in status if line[:2] in UNMERGED]
    return State([line[3:] for line in status], unmerged or _leftovers(folder))


def _leftovers(folder: Path) -> list[str]:
    """Committed files with both conflict markers, and rejects."""
    markers = ("-e", "^<<<<<<< ", "-e", "^>>>>>>> ")
    try:
        found = git(folder, "grep", "-l", "-z", "-I", "--all-match", *markers, "HEAD", "--", ".")
    except GitError:  # none
        found = ""
    marked = [name.removeprefix("HEAD:") for name in fields(found)]
    return marked + fields(git(folder, "ls-files", "-z", "--", "*.rej"))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
