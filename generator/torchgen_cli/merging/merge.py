"""Merge the template's changes with the user's, for `update` and `set`.

Copier renders the project twice: before the template's change and after. git merges three ways: the
first rendering is the base, the second one side, the user's last commit the other. So git follows
renamed files, and reports a file that one side removed and the other changed as a conflict. The
merge is made in a temporary repository; the user's is only read.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import UserError
from ..base.git import ALONE, GitError, fields, git
from ..base.project import ANSWERS_FILE, Project
from ..template.render import Rendering
from .align import follow_folders, keep_line_ends

Blob = tuple[str, str]  # git's mode and hash
DELETED = "you deleted it, so the template's change is not applied"

SETTINGS = {
    "core.autocrlf": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "merge.conflictStyle": "merge",
    "merge.directoryRenames": "true",  # the user's files move along when the package is renamed
    "merge.renameLimit": "10000",
}


@dataclass(frozen=True)
class Change:
    """What happens to one file."""

    path: str
    kind: str
    """new, changed, conflict, removed, or kept (the template's change is not applied)."""
    remedy: str = ""
    """How to resolve a conflict, or why a file is kept."""


@dataclass(frozen=True)
class Merged:
    """The result, not yet in the user's tree."""

    folder: Path
    """The merged project, without files that git ignores."""
    objects: Path
    """Git's objects with the content of `write` and `stages`."""
    changes: list[Change]
    write: dict[str, Blob]
    remove: list[str]
    stages: dict[str, dict[int, Blob]]
    """The index stages of each conflict: 1 the base, 2 the user's, 3 the template's."""

    @property
    def conflicts(self) -> list[Change]:
        return [change for change in self.changes if change.kind == "conflict"]


def merge(project: Project, old: Rendering, new: Rendering, label: str, folder: Path) -> Merged:
    """Merge in the new folder `folder`; `label` names the template's side in conflict markers."""
    head = _start(project, folder)
    renderings = (old.path, new.path)
    keep_line_ends(folder, renderings)
    before = _tree_of(folder, old.path)
    if follow_folders(folder, before, head, renderings):
        before = _tree_of(folder, old.path)
    base = _commit(folder, before)
    ours = _commit(folder, head, base)
    theirs = _commit(folder, _tree_of(folder, new.path), base)
    git(folder, "update-ref", "--no-deref", "HEAD", ours, env=ALONE)
    git(folder, "update-ref", f"refs/heads/{label}", theirs, env=ALONE)
    try:
        git(folder, "merge", "--quiet", "--no-commit", "--no-ff", label, env=ALONE)
    except GitError:
        if not git(folder, "ls-files", "--unmerged", env=ALONE):
            raise  # not a conflict
    answers = fields(git(folder, "ls-tree", "-z", theirs, ANSWERS_FILE, env=ALONE))
    merged = _result(folder, _listed_tree(folder, head), _parse(answers[0])[1], new)
    _check_in_git(project, merged)
    return merged


def _start(project: Project, folder: Path) -> str:
    """A repository in `folder` with the user's last commit checked out; returns its tree."""
    prefix = git(project.path, "rev-parse", "--show-prefix")
    head = git(project.path, "rev-parse", f"HEAD:{prefix}")
    form = git(project.path, "rev-parse", "--show-object-format")
    objects = git(project.path, "rev-parse", "--git-path", "objects")
    folder.mkdir()
    git(folder, "init", "--quiet", "--template=", f"--object-format={form}", env=ALONE)
    for name, value in SETTINGS.items():
        section, _, key = name.partition(".")
        with (folder / ".git/config").open("a", encoding="utf-8") as config:
            config.write(f'[{section}]\n\t{key} = "{value}"\n')
    info = folder / ".git" / "info"
    info.mkdir(exist_ok=True)
    # content as committed: the user's filters apply when it is written to the working tree
    raw = "* -text -eol -filter -ident -working-tree-encoding\n"
    (info / "attributes").write_text(raw, encoding="utf-8")
    borrowed = os.path.abspath(project.path / objects).replace("\\", "/")
    alternates = folder / ".git/objects/info/alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(borrowed + "\n", encoding="utf-8", errors="surrogateescape")
    git(folder, "read-tree", "-u", "--reset", head, env=ALONE)
    return head


def _tree_of(repository: Path, rendering: Path) -> str:
    """The git tree of a rendering."""
    env = {**ALONE, "GIT_INDEX_FILE": str(rendering.parent / "index")}
    git(repository, "--work-tree", str(rendering), "add", "--all", "--force", ".", env=env)
    return git(repository, "write-tree", env=env)


def _commit(repository: Path, tree: str, parent: str | None = None) -> str:
    parents = ("-p", parent) if parent else ()
    return git(repository, "commit-tree", tree, *parents, "-m", "torchgen", env=ALONE)


def _result(folder: Path, head: dict[str, Blob], answers: Blob, new: Rendering) -> Merged:
    """Read the result of the merge from git's index."""
    merged = Merged(folder, folder / ".git/objects", [], {}, [], {})
    index: dict[str, dict[int, Blob]] = {}
    for line in fields(git(folder, "ls-files", "--stage", "-z", env=ALONE)):
        path, (mode, rest) = _parse(line)
        sha, _, stage = rest.partition(" ")
        index.setdefault(path, {})[int(stage)] = (mode, sha)
    index[ANSWERS_FILE] = {0: answers}  # never a conflict: only the template writes it
    for path, stages in sorted(index.items()):
        if path in head and head[path] == stages.get(0):
            continue
        if path in head and path != ANSWERS_FILE and new.leave(Path(path)):
            git(folder, "checkout", "--quiet", "--force", "HEAD", "--", path, env=ALONE)
            merged.changes.append(Change(path, "kept", "the template does not update this file"))
        elif 0 in stages:
            merged.changes.append(Change(path, "changed" if path in head else "new"))
            merged.write[path] = stages[0]
        elif set(stages) == {1, 3} and path not in head:
            (folder / path).unlink(missing_ok=True)
            merged.changes.append(Change(path, "kept", DELETED))
        else:
            _add_conflict(merged, path, stages)
    for path in sorted(head.keys() - index.keys()):
        merged.changes.append(Change(path, "removed"))
        merged.remove.append(path)
    return merged


def _check_in_git(project: Project, merged: Merged) -> None:
    """Raise `UserError` for a file of the project that is on the disk, but not in git."""
    for change in merged.changes:
        if change.remedy == DELETED and os.path.lexists(project.path / change.path):
            raise UserError(
                f"{change.path} is not in git, so the template's change cannot be merged: git add "
                "--force and commit it, or delete it"
            )


def _add_conflict(merged: Merged, path: str, stages: dict[int, Blob]) -> None:
    file = merged.folder / path
    binary = file.is_file() and b"\0" in file.read_bytes()
    merged.changes.append(Change(path, "conflict", _remedy(path, set(stages), binary)))
    merged.stages[path] = stages
    if file.is_file():
        mode = next(stages[number][0] for number in (2, 3, 1) if number in stages)
        sha = git(merged.folder, "hash-object", "-w", "--no-filters", "--", path, env=ALONE)
        merged.write[path] = (mode, sha)


def _remedy(path: str, stages: set[int], binary: bool) -> str:
    quoted = f"'{path}'" if " " in path else path
    if stages == {1, 2}:
        return (
            "the template deleted it, but you changed it, so it is still there; "
            f"to keep it: git add {quoted}; to delete it: git rm {quoted}"
        )
    if binary:
        return (
            "you and the template changed this binary file, and yours is in place; to keep it: "
            f"git add {quoted}; to use the template's: git checkout --theirs {quoted}, then git add"
        )
    if stages in ({1, 2, 3}, {2, 3}):
        return (
            "you and the template changed the same lines; edit between the markers <<<<<<< and "
            f">>>>>>>, then: git add {quoted}"
        )
    return f"you and the template both renamed it, see git status; then: git add --all {quoted}"


def _listed_tree(repository: Path, tree: str) -> dict[str, Blob]:
    lines = fields(git(repository, "ls-tree", "-r", "-z", tree, env=ALONE))
    parsed = dict(map(_parse, lines))
    return {path: (mode, rest.partition(" ")[2]) for path, (mode, rest) in parsed.items()}


def _parse(line: str) -> tuple[str, Blob]:
    """Path, mode and what follows it, from a line `mode ...<TAB>path`."""
    facts, _, path = line.partition("\t")
    mode, _, rest = facts.partition(" ")
    return path, (mode, rest)
