"""How much of a rendering of the template is in a project that somebody has changed since."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .gitrun import fields, git
from .project import ANSWERS_FILE

Lines = Counter[bytes]
WEIGHT_OF_ABSENT = 0.1  # measured: 0.02 to 0.2 find much the same
FILE = 5  # lines that a missing file counts for: it went with one command
LARGEST = 1_000_000  # bytes; no file of code is larger


@dataclass(frozen=True)
class Difference:
    """A file that both have: how many lines only one of them has."""

    path: str
    project: int
    template: int


@dataclass
class Fit:
    """A rendering compared with a project; blank lines do not count."""

    identical: int = 0
    similar: list[Difference] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """What the template has, and the project has not."""
    common: int = 0
    """Lines that both have, in the rendering's files."""
    absent: int = 0
    """Lines of the rendering that the project's files of those names have not."""
    gone: int = 0
    """Lines of the missing files."""
    added: int = 0
    """Lines that only the project's files have."""

    @property
    def similarity(self) -> float:
        """0: no line in common; 1: none that is not."""
        both = 2 * self.common
        return both / (both + self.absent + self.gone + self.added) if both else 0.0

    @property
    def score(self) -> float:
        """What tells the right answers: the larger, the likelier.

        A line that is there speaks for a rendering much louder than a missing one speaks against
        it: people delete and rewrite, but hardly happen to write what the template would.
        """
        return self.common - WEIGHT_OF_ABSENT * (self.absent + FILE * len(self.missing))

    @property
    def exact(self) -> bool:
        return not self.similar and not self.missing


class Tree:
    """The files that git tracks in a folder, or would."""

    def __init__(self, folder: Path) -> None:
        """Raises `GitError`."""
        self._folder = folder
        listed = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", ".")
        self.names = {name for name in fields(listed) if (folder / name).is_file()}
        self._lines: dict[str, Lines] = {}

    def content(self, name: str) -> bytes:
        """A file without CRLF; empty where it is none, or too large to be of a template."""
        file = self._folder / name
        if name not in self.names or file.stat().st_size > LARGEST:
            return b""
        return file.read_bytes().replace(b"\r\n", b"\n")

    def lines(self, name: str) -> Lines:
        if name not in self._lines:
            self._lines[name] = lines_of(self.content(name))
        return self._lines[name]

    def home_of(self, folder: str, rendered: Mapping[str, bytes]) -> str:
        """Where a folder of the template's is here: renamed or moved, if most of it is."""
        inside = [name for name in rendered if name.startswith(f"{folder}/")]
        if any(name.startswith(f"{folder}/") for name in self.names):
            return folder
        votes = Counter(
            name.removesuffix(f"/{rest}")
            for rest in (name.removeprefix(f"{folder}/") for name in inside)
            for name in self.names
            if name.endswith(f"/{rest}")
        )
        home, count = votes.most_common(1)[0] if votes else (folder, 0)
        return home if 2 * count > len(inside) else folder

    def fit(self, rendered: Mapping[str, bytes]) -> Fit:
        """Compare a rendering, file by file."""
        fit = Fit()
        folders = {name.partition("/")[0] for name in rendered if "/" in name}
        homes = {folder: self.home_of(folder, rendered) for folder in folders}
        for name, content in sorted(rendered.items()):
            folder, slash, rest = name.partition("/")
            here = f"{homes[folder]}/{rest}" if slash else name
            self._compare(here, content, fit)
        return fit

    def _compare(self, here: str, content: bytes, fit: Fit) -> None:
        theirs, ours = lines_of(content), self.lines(here)
        common = (theirs & ours).total()
        only_theirs, only_ours = theirs.total() - common, ours.total() - common
        if here not in self.names:
            fit.missing.append(here)
            fit.gone += only_theirs
            return
        fit.common += common
        fit.absent += only_theirs
        fit.added += only_ours
        if content == self.content(here):
            fit.identical += 1
        else:
            fit.similar.append(Difference(here, only_ours, only_theirs))


def lines_of(content: bytes) -> Lines:
    """The lines that say something, and how often."""
    stripped = (line.rstrip() for line in content.split(b"\n"))
    return Counter(line for line in stripped if line)


def read_tree(folder: Path) -> dict[str, bytes]:
    """The files of a rendering, without the record of its answers."""
    files = (Path(here) / name for here, _, names in os.walk(folder) for name in names)
    found = {file.relative_to(folder).as_posix(): file for file in files}
    return {name: file.read_bytes() for name, file in found.items() if name != ANSWERS_FILE}
