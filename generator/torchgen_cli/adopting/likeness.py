"""How similar a rendering of the template is to a project that was edited since."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..base.git import fields, git
from ..base.project import ANSWERS_FILE

Lines = Counter[bytes]
WEIGHT_OF_ABSENT = 0.1  # measured: 0.02 to 0.2 find much the same
FILE = 5  # lines that a missing file counts as: one command deletes it
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
    """Files that only the template has."""
    common: int = 0
    """Lines that both have."""
    absent: int = 0
    """Lines of the rendering that are missing from the project's files of these names."""
    gone: int = 0
    """Lines of the missing files."""
    added: int = 0
    """Lines that only the project's files have."""

    @property
    def similarity(self) -> float:
        """0: no line in common; 1: all lines in common."""
        both = 2 * self.common
        return both / (both + self.absent + self.gone + self.added) if both else 0.0

    @property
    def score(self) -> float:
        """Higher for likelier answers.

        A common line is much stronger evidence for a rendering than a missing line is against it:
        people delete and rewrite lines, but rarely write the template's by chance.
        """
        return self.common - WEIGHT_OF_ABSENT * (self.absent + FILE * len(self.missing))

    @property
    def exact(self) -> bool:
        return not self.similar and not self.missing


class Tree:
    """The files in a folder that git does not ignore."""

    def __init__(self, folder: Path) -> None:
        """Raises `GitError`."""
        self._folder = folder
        listed = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", ".")
        self.names = {name for name in fields(listed) if (folder / name).is_file()}
        self._lines: dict[str, Lines] = {}

    def content(self, name: str) -> bytes:
        """A file with LF line ends; empty if it does not exist, or is too large for a template."""
        file = self._folder / name
        if name not in self.names or file.stat().st_size > LARGEST:
            return b""
        return file.read_bytes().replace(b"\r\n", b"\n")

    def lines(self, name: str) -> Lines:
        if name not in self._lines:
            self._lines[name] = lines_of(self.content(name))
        return self._lines[name]

    def place_of(self, folder: str, rendered: Mapping[str, bytes]) -> str:
        """The name here of a folder of the template: another if most of its files were moved."""
        inside = [name for name in rendered if name.startswith(f"{folder}/")]
        if any(name.startswith(f"{folder}/") for name in self.names):
            return folder
        votes = Counter(
            name.removesuffix(f"/{rest}")
            for rest in (name.removeprefix(f"{folder}/") for name in inside)
            for name in self.names
            if name.endswith(f"/{rest}")
        )
        place, count = votes.most_common(1)[0] if votes else (folder, 0)
        return place if 2 * count > len(inside) else folder

    def fit(self, rendered: Mapping[str, bytes]) -> Fit:
        """Compare a rendering, file by file."""
        fit = Fit()
        folders = {name.partition("/")[0] for name in rendered if "/" in name}
        places = {folder: self.place_of(folder, rendered) for folder in folders}
        for name, content in sorted(rendered.items()):
            folder, slash, rest = name.partition("/")
            here = f"{places[folder]}/{rest}" if slash else name
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
    """The lines that are not blank, and how often each occurs."""
    stripped = (line.rstrip() for line in content.split(b"\n"))
    return Counter(line for line in stripped if line)


def read_tree(folder: Path) -> dict[str, bytes]:
    """The files of a rendering, without the answers file."""
    files = (Path(here) / name for here, _, names in os.walk(folder) for name in names)
    found = {file.relative_to(folder).as_posix(): file for file in files}
    return {name: file.read_bytes() for name, file in found.items() if name != ANSWERS_FILE}
