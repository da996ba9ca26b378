"""What is wrong, or may be, with samples: copies, leaks, labels that disagree."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .alike import FLAT, Mark, Marks, nearly_equal

TINY = 4  # times as long is the usual shorter side
UNEVEN = 10  # times as many samples has the largest class
SHOWN = 5  # names in a line

Place = tuple[str, int]  # a split, and the number of a sample in it


@dataclass(frozen=True)
class Split:
    """A split to look at."""

    name: str
    targets: Any  # (N, ...), from which an array of indices picks
    classes: list[str]
    marks: Callable[[], Iterator[Mark | str]]  # of each sample, or why it cannot be read
    content: Callable[[int], np.ndarray]  # a sample
    where: Callable[[int], str]
    files: bool  # whether `where` names a file for each


class Finding(NamedTuple):
    """Something that is wrong, or may be."""

    kind: str
    wrong: bool  # for certain; else it may be meant
    words: str
    groups: list[list[Place]]  # samples that belong together


def counted(count: int, noun: str = "sample") -> str:
    """A number of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def named(names: list[str]) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


class Seen:
    """All samples of both splits, one after the other, and their marks."""

    def __init__(
        self, splits: Sequence[Split], places: list[Place], marks: Marks, targets: list[bytes]
    ) -> None:
        """Take what was seen of each; `targets` are equal where those are, empty where unknown."""
        self.splits = {split.name: split for split in splits}
        self.places, self.marks, self.targets = places, marks, targets
        equal: dict[bytes, list[int]] = defaultdict(list)
        for number, digest in enumerate(marks.digests):
            if digest:
                equal[digest].append(number)
        self.equal = list(equal.values())  # groups of samples of the same content

    def of(self, groups: Iterable[Iterable[int]]) -> list[list[Place]]:
        """The places of numbered samples."""
        return [[self.places[number] for number in group] for group in groups]

    def across(self, group: Iterable[int]) -> bool:
        """Whether samples of both splits are among these."""
        return len({self.places[number][0] for number in group}) > 1

    def disagree(self, group: Iterable[int]) -> bool:
        """Whether these have different targets."""
        return len({self.targets[number] for number in group} - {b""}) > 1

    def copies(self) -> Iterator[Finding]:
        """Samples of the same content."""
        groups = [group for group in self.equal if len(group) > 1]
        if leaks := [group for group in groups if self.across(group)]:
            names = [self.places[number][0] for group in leaks for number in group]
            words = f"{counted(names.count('val'))} of val are in train as well, bit for bit"
            yield Finding("leak", True, words, self.of(leaks))
        if odd := [group for group in groups if self.disagree(group)]:
            words = f"{counted(len(odd), 'group')} of equal samples have different targets"
            yield Finding("conflict", True, words, self.of(odd))
        if again := [group for group in groups if not self.across(group)]:
            more = sum(map(len, again)) - len(again)
            words = f"{counted(more)} repeat another one of the same split, bit for bit"
            yield Finding("copy", False, words, self.of(again))

    def near_copies(self) -> Iterator[Finding]:
        """Images that are nearly the same; equal ones count once."""
        first = np.array([group[0] for group in self.equal], int)
        first = first[self.marks.contrasts[first] > FLAT]
        pairs = [
            (int(first[a]), int(first[b])) for a, b in nearly_equal(self.marks.thumbnails[first])
        ]
        groups = {group[0]: group for group in self.equal}
        leaks = [pair for pair in pairs if self.across(groups[pair[0]] + groups[pair[1]])]
        if leaks:
            words = f"{counted(len(leaks), 'pair')} of nearly equal images lie in both splits"
            yield Finding("near-leak", False, words, self.of(leaks))
        if odd := [pair for pair in pairs if self.disagree(pair)]:
            words = f"{counted(len(odd), 'pair')} of nearly equal images have different targets"
            yield Finding("near-conflict", False, words, self.of(odd))
        if rest := sorted(set(pairs) - set(leaks)):
            words = f"{counted(len(rest), 'pair')} of images of one split are nearly equal"
            yield Finding("near-copy", False, words, self.of(rest))

    def blank(self) -> Iterator[Finding]:
        """Images of nearly one color."""
        contrasts = self.marks.contrasts
        if len(flat := np.flatnonzero((contrasts >= 0) & (contrasts <= FLAT))):
            words = f"{counted(len(flat), 'image')} are blank: of one brightness all over"
            yield Finding("blank", False, words, self.of([[n] for n in flat.tolist()]))

    def tiny(self) -> Iterator[Finding]:
        """Images much smaller than most."""
        shorter = self.marks.sizes.min(axis=1)
        if (shorter > 0).any():
            usual = float(np.median(shorter[shorter > 0]))
            small = np.flatnonzero((shorter > 0) & (shorter * TINY < usual))
            if len(small):
                words = (
                    f"{counted(len(small), 'image')} are tiny: the shorter side has less than a "
                    f"quarter of the usual {usual:.0f} pixels"
                )
                yield Finding("tiny", False, words, self.of([[n] for n in small.tolist()]))

    def file_names(self) -> Iterator[Finding]:
        """Files of both splits whose names say that they belong together, as of one patient."""
        groups: dict[str, list[int]] = defaultdict(list)
        for number, (name, index) in enumerate(self.places):
            split = self.splits[name]
            if split.files and (subject := subject_of(split.where(index))):
                groups[subject].append(number)
        if leaks := {name: group for name, group in groups.items() if self.across(group)}:
            words = f"files of both splits have names of the same subject: {named(list(leaks))}"
            yield Finding("names", False, words, self.of(leaks.values()))


def subject_of(path: str) -> str:
    """What a file's name says that the image is of: patient12 of patient12_slice3.png, else "".

    A number without a name, as of 0003.png and cat.12.jpg, names no subject.
    """
    stem = os.path.splitext(os.path.basename(path))[0]
    found = ""
    for part in re.split(r"[_. ()-]+", stem)[:-1]:
        found += f"_{part}" if found else part
        if re.search(r"\d", part) and re.search(r"[^\W\d]", found):
            return found
    return ""


def uneven(splits: Sequence[Split]) -> Iterator[Finding]:
    """Classes of very different size, and those that one split has no sample of."""
    classes = splits[0].classes
    for split in splits:
        targets = split.targets
        numbers = isinstance(targets, np.ndarray) and targets.dtype.kind in "iu"
        if not numbers or targets.ndim != 1:
            return  # no classes of whole samples
        counts = Counter(targets.tolist())
        sizes = [counts[number] for number in range(len(classes))]
        if not all(sizes):
            missing = [name for name, size in zip(classes, sizes, strict=True) if not size]
            words = f"{split.name} has no sample of {named(missing)}"
            yield Finding("missing", False, words, [])
        few, many = min(filter(None, sizes)), max(sizes)
        if split.name == "train" and many > UNEVEN * few:
            small, large = classes[sizes.index(few)], classes[sizes.index(many)]
            words = f"classes are uneven: {many:,} samples of {large}, {few:,} of {small}"
            yield Finding("uneven", False, words, [])
