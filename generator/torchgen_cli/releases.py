"""The template's repository: which versions it has, what they contain, what changed between."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import numbers
from .errors import UserError, nearest
from .gitrun import GitError, git
from .numbers import Numbers
from .provenance import local_path, recordable

LIST = "releases.json"  # of the template's repository: clones and forks may lack its tags
SHORTHANDS = {"gh:": "https://github.com/", "gl:": "https://gitlab.com/"}


@dataclass(frozen=True)
class Version:
    """A commit, and its name as Copier records it (`git describe --tags --always`)."""

    name: str
    sha: str


class Releases:
    """A clone of the template's repository, all versions of it."""

    def __init__(self, source: str, workshop: Path) -> None:
        """Clone it. Raises `UserError` if it cannot be reached, or is a shallow clone itself."""
        self.source = recordable(source, Path.cwd())  # without a password, for messages
        self._clone = workshop / "template.git"
        try:
            clone(source, self._clone)
        except GitError as error:
            raise UserError(
                f"cannot reach the template's repository {self.source} ({error}); "
                "check the address and the network, or name another by --source"
            ) from error
        if git(self._clone, "rev-parse", "--is-shallow-repository") == "true":
            raise UserError(
                f"the template's repository {self.source} is a shallow clone and lacks versions; "
                "run git fetch --unshallow there"
            )
        self._tag_listed()

    def _tag_listed(self) -> None:
        """Give our clone the tags that the committed list knows and the repository lacks."""
        tags = set(git(self._clone, "tag").split())
        try:
            found = json.loads(self._show(LIST) or "[]")
            listed = {entry["version"]: entry["commit"] for entry in found}
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"{LIST} of {self.source} cannot be read: {error!r}") from error
        for version, commit in listed.items():
            if version not in tags and self.find(commit):
                git(self._clone, "tag", "--", version, commit)

    def _show(self, file: str, version: str = "HEAD") -> str:
        """A file's text at a version; empty where there is none."""
        try:
            return git(self._clone, "show", f"{version}:{file}")
        except GitError:
            return ""

    def find(self, ref: str) -> Version | None:
        """The version that a tag, a branch or a commit names."""
        if not ref or ref.startswith("-"):
            return None
        try:
            sha = git(self._clone, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        except GitError:
            return None
        return Version(git(self._clone, "describe", "--tags", "--always", sha), sha)

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
        """The version that a user asks for by a flag. Raises `UserError` with the nearest one."""
        found = self.find(ref) or self.find(f"v{ref}")
        if not found:
            tags = git(self._clone, "tag").split()
            raise UserError(f"{flag}: the template has no version {ref!r}{nearest(ref, tags)}", 2)
        return found

    def latest(self) -> Version:
        """The latest release; where none has a tag, the newest commit. As Copier chooses."""
        released = self._release_tags()
        found = self.find(released[-1] if released else "HEAD")
        if not found:
            raise UserError(f"the template's repository {self.source} has no commit")
        return found

    def released(self) -> list[Version]:
        """The releases, oldest first."""
        return [found for found in map(self.find, self._release_tags()) if found]

    def _release_tags(self) -> list[str]:
        from packaging.version import InvalidVersion
        from packaging.version import Version as Number

        numbers = {}
        for tag in git(self._clone, "tag").split():
            try:
                numbers[tag] = Number(tag)
            except InvalidVersion:
                continue
        final = [tag for tag, number in numbers.items() if not number.is_prerelease]
        return sorted(final, key=numbers.__getitem__)

    def is_older(self, one: Version, other: Version) -> bool:
        """Whether the first version came before the second."""
        try:
            git(self._clone, "merge-base", "--is-ancestor", one.sha, other.sha)
        except GitError:
            return False
        return one.sha != other.sha

    def extract(self, version: Version, folder: Path) -> Path:
        """Write the files of a version into a new folder, byte for byte."""
        folder.mkdir()
        attributes = self._clone / "info" / "attributes"
        attributes.parent.mkdir(exist_ok=True)
        attributes.write_text("* -text -filter -ident -working-tree-encoding\n", encoding="utf-8")
        where = {"GIT_INDEX_FILE": str(folder.with_suffix(".index"))}
        command = ("--work-tree", str(folder), "read-tree", "-u", "--reset", version.sha)
        git(self._clone, "-c", "core.bare=false", *command, env=where)
        return folder

    def changelog(self, old: Version, new: Version) -> dict[str, list[str]]:
        """The entries that the newer CHANGELOG.md has and the older has not, by section."""
        before = {entry for entries in self._entries(old).values() for entry in entries}
        after = self._entries(new).items()
        fresh = {title: [e for e in entries if e not in before] for title, entries in after}
        return {title: entries for title, entries in fresh.items() if entries}

    def numbers(self, old: Version, new: Version, answers: Mapping[str, Any]) -> Numbers:
        """What the releases in between did to the numbers of a project with these answers."""
        before, after = (self._show(numbers.FILE, version.sha) for version in (old, new))
        return numbers.compare(before, after, answers, self.changelog(old, new))

    def _entries(self, version: Version) -> dict[str, list[str]]:
        text = self._show("CHANGELOG.md", version.sha)
        sections = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)[1:]
        items = (re.split(r"^[-*] +", body, flags=re.MULTILINE)[1:] for body in sections[1::2])
        tidy = ([" ".join(item.split()) for item in entries] for entries in items)
        return dict(zip(sections[::2], tidy, strict=True))


def clone(source: str, folder: Path, *options: str) -> None:
    """Clone a repository, without files. Raises `GitError`, with no password in its message."""
    # nobody sees a question for a password where no terminal is
    env = {} if sys.stdin and sys.stdin.isatty() else {"GIT_TERMINAL_PROMPT": "0"}
    # a name, not a path: a git that outlives us would make the folders of a path anew
    command = ("clone", "--quiet", "--bare", *options, "--", address(source), folder.name)
    try:
        git(folder.parent, *command, env=env, asks=True)
    except GitError as error:
        shown = recordable(source, Path.cwd())
        raise GitError(str(error).replace(address(source), shown)) from error


def address(source: str) -> str:
    """Where git finds what an answers file records; a `--source` relative to here as well."""
    local = local_path(source, Path.cwd())
    if local:
        return str(local)
    for short, long in SHORTHANDS.items():
        if source.startswith(short):
            return long + source.removeprefix(short).lstrip("/").removesuffix(".git") + ".git"
    return source.removeprefix("git+")
