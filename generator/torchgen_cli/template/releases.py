"""The template's repository: its versions, their content, and the changes between them."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import UserError, nearest
from ..base.git import GitError, git
from . import numbers
from .numbers import Numbers
from .provenance import local_path, recordable

LIST = "releases.json"  # in the template's repository: clones and forks may lack its tags
SHORTHANDS = {"gh:": "https://github.com/", "gl:": "https://gitlab.com/"}


@dataclass(frozen=True)
class Version:
    """A commit, and its name as Copier records it (`git describe --tags --always`)."""

    name: str
    sha: str


class Releases:
    """A bare clone of the template's repository with all its versions."""

    def __init__(self, source: str, clone: Path) -> None:
        """`source` is what messages call it."""
        self.source = source
        self.clone = clone

    def tag_listed(self) -> None:
        """Add the tags that are in the committed list, but not in the repository."""
        tags = set(git(self.clone, "tag").split())
        try:
            found = json.loads(self._show(LIST) or "[]")
            listed = {entry["version"]: entry["commit"] for entry in found}
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"cannot read {LIST} of {self.source}: {error!r}") from error
        for version, commit in listed.items():
            if version not in tags and self.find(commit):
                git(self.clone, "tag", "--", version, commit)

    def _show(self, file: str, version: str = "HEAD") -> str:
        """A file's text at a version; empty if there is no such file."""
        try:
            return git(self.clone, "show", f"{version}:{file}")
        except GitError:
            return ""

    def find(self, ref: str) -> Version | None:
        """The version that a tag, a branch or a commit names."""
        if not ref or ref.startswith("-"):
            return None
        try:
            sha = git(self.clone, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        except GitError:
            return None
        return Version(git(self.clone, "describe", "--tags", "--always", sha), sha)

    def recorded(self, commit: str) -> Version:
        """The version that a project records. Raises `UserError` if it does not exist."""
        found = self.find(commit)
        if not found:
            raise UserError(
                f"the template's repository {self.source} has no version {commit}, which the "
                "project records; set _commit in .copier-answers.yml to the version it was made "
                "from, and commit that"
            )
        return Version(commit, found.sha)

    def wanted(self, ref: str, flag: str) -> Version:
        """The version that a user names by a flag. Raises `UserError` with the closest one."""
        found = self.find(ref) or self.find(f"v{ref}")
        if not found:
            tags = git(self.clone, "tag").split()
            raise UserError(f"{flag}: the template has no version {ref!r}{nearest(ref, tags)}", 2)
        return found

    def latest(self) -> Version:
        """The latest release, or the newest commit if there is none. Copier chooses the same."""
        released = self._release_tags()
        found = self.find(released[-1] if released else "HEAD")
        if not found:
            raise UserError(f"the template's repository {self.source} has no commits")
        return found

    def released(self) -> list[Version]:
        """The releases, oldest first."""
        return [found for found in map(self.find, self._release_tags()) if found]

    def _release_tags(self) -> list[str]:
        from packaging.version import InvalidVersion
        from packaging.version import Version as Number

        numbers = {}
        for tag in git(self.clone, "tag").split():
            try:
                numbers[tag] = Number(tag)
            except InvalidVersion:
                continue
        final = [tag for tag, number in numbers.items() if not number.is_prerelease]
        return sorted(final, key=numbers.__getitem__)

    def is_older(self, one: Version, other: Version) -> bool:
        """Whether the first version came before the second."""
        try:
            git(self.clone, "merge-base", "--is-ancestor", one.sha, other.sha)
        except GitError:
            return False
        return one.sha != other.sha

    def extract(self, version: Version, folder: Path) -> Path:
        """Write the files of a version into a new folder, byte for byte."""
        folder.mkdir()
        attributes = self.clone / "info" / "attributes"
        attributes.parent.mkdir(exist_ok=True)
        attributes.write_text("* -text -filter -ident -working-tree-encoding\n", encoding="utf-8")
        where = {"GIT_INDEX_FILE": str(folder.with_suffix(".index"))}
        command = ("--work-tree", str(folder), "read-tree", "-u", "--reset", version.sha)
        git(self.clone, "-c", "core.bare=false", *command, env=where)
        return folder

    def changelog(self, old: Version, new: Version) -> dict[str, list[str]]:
        """The entries that the newer CHANGELOG.md has and the older has not, by section."""
        before = {entry for entries in self._entries(old).values() for entry in entries}
        after = self._entries(new).items()
        fresh = {title: [e for e in entries if e not in before] for title, entries in after}
        return {title: entries for title, entries in fresh.items() if entries}

    def numbers(self, old: Version, new: Version, answers: Mapping[str, Any]) -> Numbers:
        """Whether the releases in between change the numbers of a project with these answers."""
        before, after = (self._show(numbers.FILE, version.sha) for version in (old, new))
        return numbers.compare(before, after, answers, self.changelog(old, new))

    def _entries(self, version: Version) -> dict[str, list[str]]:
        text = self._show("CHANGELOG.md", version.sha)
        sections = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)[1:]
        items = (re.split(r"^[-*] +", body, flags=re.MULTILINE)[1:] for body in sections[1::2])
        tidy = ([" ".join(item.split()) for item in entries] for entries in items)
        return dict(zip(sections[::2], tidy, strict=True))


def cloned(source: str, scratch: Path) -> Releases:
    """Clone a repository. Raises `UserError` if it cannot be reached, or is a shallow clone."""
    shown = recordable(source, Path.cwd())  # without a password, for messages
    folder = scratch / "template.git"
    try:
        clone(source, folder)
    except GitError as error:
        raise UserError(
            f"cannot reach the template's repository {shown} ({error}); "
            "check the address and the network, or give another one with --source"
        ) from error
    if git(folder, "rev-parse", "--is-shallow-repository") == "true":
        raise UserError(
            f"the template's repository {shown} is a shallow clone, so versions are "
            "missing; run git fetch --unshallow there"
        )
    releases = Releases(shown, folder)
    releases.tag_listed()
    return releases


def clone(source: str, folder: Path, *options: str) -> None:
    """Clone a repository, without files. Raises `GitError`, with no password in its message."""
    # without a terminal nobody can type a password
    env = {} if sys.stdin and sys.stdin.isatty() else {"GIT_TERMINAL_PROMPT": "0"}
    # a name, not a path: a git that outlives us would create the folders of a path again
    command = ("clone", "--quiet", "--bare", *options, "--", address(source), folder.name)
    try:
        git(folder.parent, *command, env=env, asks=True)
    except GitError as error:
        shown = recordable(source, Path.cwd())
        raise GitError(str(error).replace(address(source), shown)) from error


def address(source: str) -> str:
    """The address to clone: Copier's shorthands and relative paths resolved."""
    local = local_path(source, Path.cwd())
    if local:
        return str(local)
    for short, long in SHORTHANDS.items():
        if source.startswith(short):
            return long + source.removeprefix(short).lstrip("/").removesuffix(".git") + ".git"
    return source.removeprefix("git+")
