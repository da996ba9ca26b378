"""A generated project: its recorded answers, and the state of its git repository."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .errors import UserError
from .git import GIT_LOCATIONS, GitError, fields, git, git_output

ANSWERS_FILE = ".copier-answers.yml"
UNMERGED = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")


@dataclass(frozen=True)
class Project:
    """The content of `.copier-answers.yml`."""

    path: Path
    answers: dict[str, Any]
    """As text where they are scalars: `amp: off` is "off"."""
    source: str
    """The template's repository; empty if none is recorded."""
    commit: str
    """The template's version; empty if none is recorded."""

    @property
    def stamp(self) -> dict[str, str]:
        """The template's address and version, as in the answers file."""
        record = {"_src_path": self.source, "_commit": self.commit}
        return {name: value for name, value in record.items() if value}


@dataclass(frozen=True)
class State:
    """Uncommitted changes and conflicts in a project's folder."""

    changed: list[str]
    conflicts: list[str]
    """Unmerged files; if there are none, files committed with conflict markers."""


def read_project(path: str) -> Project:
    """The project at `path`, in git or not. Raises `UserError` if there is none."""
    folder = Path(os.path.abspath(path))
    if not folder.is_dir():
        raise UserError(
            f"{path} is not a folder; give the folder of a project made by torchgen new"
        )
    file = folder / ANSWERS_FILE
    if not file.is_file():
        raise UserError(f"{folder} has no {ANSWERS_FILE}; {_where_else(folder)}")
    try:
        text = file.read_text(encoding="utf-8-sig")
        typed, plain = yaml.safe_load(text), yaml.load(text, Loader=yaml.BaseLoader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"cannot read {file} ({error}); restore it with git restore") from error
    if not isinstance(typed, dict):
        raise UserError(
            f"{file} has no lines of the form `question: answer`; restore it with git restore"
        )
    # scalars as text, as YAML reads an unquoted off as False; null, lists and mappings are kept
    record = {
        key: plain[str(key)] if isinstance(value, str | int | float) else value
        for key, value in typed.items()
        if str(key) in plain
    }
    answers = {key: value for key, value in record.items() if not key.startswith("_")}
    source, commit = (str(record.get(name) or "") for name in ("_src_path", "_commit"))
    return Project(folder, answers, source, commit)


def _where_else(folder: Path) -> str:
    """A hint where a project is, if not in this folder."""
    for parent in folder.parents:
        if (parent / ANSWERS_FILE).is_file():
            return f"the project is in {parent}: give that as PATH"
    found = sorted(file.parent.name for file in folder.glob(f"*/{ANSWERS_FILE}"))
    if found:
        return f"there are projects in its subfolders: give {' or '.join(found)} as PATH"
    return "give the folder of a project made by torchgen new"


def check_reversible(project: Project) -> None:
    """Raise `UserError` if git could not restore the project's current state."""
    folder = project.path
    check_repository(folder)
    state = state_of(folder)
    if state.conflicts:
        raise UserError(
            f"an earlier update left conflicts in {_listed(state.conflicts)}; "
            "resolve them, then git add and git commit"
        )
    if state.changed:
        raise UserError(
            f"there are uncommitted changes: {_listed(state.changed)}; git commit (or git stash "
            "-u) them first, so that the new changes can be reviewed and undone separately"
        )
    if not git(folder, "ls-files", "--", ANSWERS_FILE):
        rule = ignored(folder, [ANSWERS_FILE])
        raise UserError(
            f"{ANSWERS_FILE} is not in git, so changes could not be undone: "
            + (rule or "git add --force and commit it")
        )
    try:
        git(folder, "symbolic-ref", "--quiet", "HEAD")
    except GitError as error:
        raise UserError(
            "no branch is checked out (HEAD is detached), so a commit could get lost; git switch "
            "to a branch first, or git switch -c NAME"
        ) from error


def check_repository(folder: Path) -> None:
    """Raise `UserError` if the folder is not in a git repository that git can read."""
    if shutil.which("git") is None:
        raise UserError("git is not installed, and torchgen merges changes with it: install git")
    try:
        git(folder, "rev-parse", "--show-toplevel")
    except GitError as error:
        if "not a git repository" not in str(error):
            raise UserError(f"git refuses {folder}: {error}") from error
        raise UserError(
            f"{folder} is not in a git repository, so changes could not be undone; "
            "run git init, git add --all and git commit there"
        ) from error


def git_folder(project: Project) -> Path:
    """The project's git directory: on the same disk as its files, and hidden."""
    for name in GIT_LOCATIONS:  # so that git, ours or Copier's, uses this repository
        os.environ.pop(name, None)
    try:
        return Path(git(project.path, "rev-parse", "--absolute-git-dir"))
    except GitError as error:
        raise UserError(f"git refuses {project.path}: {error}") from error


def state_of(folder: Path) -> State:
    """The folder's state according to git. Raises `GitError`."""
    command = ("--no-optional-locks", "status", "--porcelain", "-z", "--no-renames")
    status = fields(git(folder, *command, "--", "."))
    unmerged = [line[3:] for line in status if line[:2] in UNMERGED]
    return State([line[3:] for line in status], unmerged or _leftovers(folder))


def package_of(answers: Mapping[str, Any], folder: Path) -> str:
    """The package of a project with these answers."""
    return str(answers.get("project_name", folder.name)).replace("-", "_")


def ignored(folder: Path, names: Sequence[str], suffix: str = "") -> str:
    """A line about those of the files, or files in folders, that git ignores; empty without any.

    Raises `GitError`.
    """
    others = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    listed = fields(git(folder, "--literal-pathspecs", *others, "--", *names)) if names else []
    found = [name for name in listed if name.endswith(suffix)]
    if not found:
        return ""
    rule = git_output(folder, "check-ignore", "--verbose", "--", found[0]) or ""
    return (
        f"git ignores {_listed(found)} ({rule.partition(chr(9))[0]}): no commit will have "
        "them; change that rule, or git add --force them"
    )


def _leftovers(folder: Path) -> list[str]:
    """Committed files with conflict markers, and `*.rej` files."""
    markers = ("-e", "^<<<<<<< ", "-e", "^>>>>>>> ")
    try:
        found = git(folder, "grep", "-l", "-z", "-I", "--all-match", *markers, "HEAD", "--", ".")
    except GitError:  # none
        found = ""
    marked = [name.removeprefix("HEAD:") for name in fields(found)]
    return marked + fields(git(folder, "ls-files", "-z", "--", "*.rej"))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
