"""What is wrong, or may be, with samples: unreadable ones, copies, leaks, labels that disagree."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from ..base.errors import DataError
from .alike import FLAT, UNREADABLE, Mark, mark_of, nearly_equal

CHUNK = 64  # samples to read at once
UNEVEN = 10  # times as many samples has the largest class
NAMED = 5  # names in a line


class Split(NamedTuple):
    """A split to check."""

    name: str
    data: Any  # a reader

    def has_classes(self) -> bool:
        """Whether each target is the number of a class."""
        targets = self.data.targets
        return targets.ndim == 1 and targets.dtype.kind in "iu"

    def counts(self) -> list[int]:
        """The samples of each class."""
        return np.bincount(self.data.targets, minlength=len(self.data.classes)).tolist()

    def label(self, index: int) -> str:
        return self.data.classes[self.data.targets[index]] if self.has_classes() else ""


class Sample(NamedTuple):
    """The place of a sample, and what is said about it."""

    split: str
    index: int  # type: ignore[assignment]
    note: str = ""


class Finding(NamedTuple):
    """Something that is wrong for certain, or may be."""

    kind: str
    wrong: bool
    text: str
    groups: list[list[Sample]]  # samples that belong together


def count(number: int, noun: str = "sample") -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def join(names: list[str]) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def check(splits: list[Split]) -> list[Finding]:
    """Read every sample; returns the findings, what is certainly wrong first."""
    samples: list[Sample] = []
    marks: list[Mark] = []
    for split in splits:
        read = tqdm(read_marks(split), split.name, len(split.data), disable=None)
        for index, (mark, note) in enumerate(read):
            samples.append(Sample(split.name, index, note))
            marks.append(mark)
    targets = [row.tobytes() for split in splits for row in np.asarray(split.data.targets)]
    comparison = Comparison(samples, marks, targets)
    found = [
        *unreadable(samples),
        *comparison.copies(),
        *comparison.near_copies(),
        *comparison.blank(),
        *uneven(splits),
    ]
    return sorted(found, key=lambda finding: not finding.wrong)


def read_marks(split: Split) -> Iterator[tuple[Mark, str]]:
    """The mark of each sample, or the reason why it cannot be read."""
    for start in range(0, len(split.data), CHUNK):
        indices = np.arange(start, min(start + CHUNK, len(split.data)))
        try:
            for content in split.data.read(indices):
                yield mark_of(content), ""
        except DataError:  # one by one, to know which
            for index in indices:
                try:
                    yield mark_of(split.data.read(np.array([index]))[0]), ""
                except DataError as error:
                    yield UNREADABLE, str(error)


def unreadable(samples: list[Sample]) -> Iterator[Finding]:
    """Samples that cannot be read."""
    if bad := [sample for sample in samples if sample.note]:
        text = f"{count(len(bad))} unreadable, the first: {bad[0].note}"
        yield Finding("unreadable", True, text, [[sample] for sample in bad])


class Comparison:
    """All samples of all splits, one after the other, with their marks and targets."""

    def __init__(self, samples: list[Sample], marks: list[Mark], targets: list[bytes]) -> None:
        self.samples, self.marks, self.targets = samples, marks, targets
        equal: dict[bytes, list[int]] = defaultdict(list)
        for number, mark in enumerate(marks):
            if mark.digest:
                equal[mark.digest].append(number)
        self.equal = list(equal.values())  # groups of equal samples

    def finding(
        self, kind: str, wrong: bool, text: str, groups: Iterable[Iterable[int]]
    ) -> Finding:
        return Finding(kind, wrong, text, [[self.samples[n] for n in group] for group in groups])

    def across(self, group: Iterable[int]) -> bool:
        """Whether samples of several splits are among these."""
        return len({self.samples[number].split for number in group}) > 1

    def disagree(self, group: Iterable[int]) -> bool:
        """Whether these have different targets."""
        return len({self.targets[number] for number in group}) > 1

    def copies(self) -> Iterator[Finding]:
        """Samples that are equal."""
        groups = [group for group in self.equal if len(group) > 1]
        if leaks := [group for group in groups if self.across(group)]:
            text = f"{count(len(leaks))} in several splits, bit for bit"
            yield self.finding("leak", True, text, leaks)
        if odd := [group for group in groups if self.disagree(group)]:
            text = f"{count(len(odd), 'group')} of equal samples with different labels"
            yield self.finding("conflict", True, text, odd)
        if again := [group for group in groups if not self.across(group)]:
            more = sum(map(len, again)) - len(again)
            text = f"{count(more)} repeating another one of the same split, bit for bit"
            yield self.finding("copy", False, text, again)

    def near_copies(self) -> Iterator[Finding]:
        """Images that are nearly the same; equal ones count once."""
        groups = [group for group in self.equal if self.marks[group[0]].contrast > FLAT]
        if not groups:
            return
        thumbnails = np.stack([self.marks[group[0]].thumbnail for group in groups])
        pairs = [(groups[a], groups[b]) for a, b in nearly_equal(thumbnails)]
        leaks = [(a[0], b[0]) for a, b in pairs if self.across(a + b)]
        rest = [(a[0], b[0]) for a, b in pairs if not self.across(a + b)]
        odd = [pair for pair in leaks + rest if self.disagree(pair)]
        for kind, chosen, text in (
            ("near-leak", leaks, "of nearly equal images in different splits"),
            ("near-conflict", odd, "of nearly equal images with different labels"),
            ("near-copy", rest, "of nearly equal images in one split"),
        ):
            if chosen:
                yield self.finding(kind, False, f"{count(len(chosen), 'pair')} {text}", chosen)

    def blank(self) -> Iterator[Finding]:
        """Images of nearly one color."""
        flat = [[n] for n, mark in enumerate(self.marks) if 0 <= mark.contrast <= FLAT]
        if flat:
            text = f"{count(len(flat), 'image')} blank: of one brightness all over"
            yield self.finding("blank", False, text, flat)


def uneven(splits: list[Split]) -> Iterator[Finding]:
    """Classes of very different size, and those that a split has no sample of."""
    for split in splits:
        if not split.has_classes():
            continue
        sizes = dict(zip(split.data.classes, split.counts(), strict=True))
        if missing := [name for name, size in sizes.items() if not size]:
            yield Finding("missing", False, f"{split.name} has no sample of {join(missing)}", [])
        large, small = max(sizes, key=sizes.__getitem__), min(sizes, key=sizes.__getitem__)
        if split.name == "train" and sizes[large] > UNEVEN * sizes[small]:
            text = f"{sizes[large]:,} samples of {large}, {sizes[small]:,} of {small}"
            yield Finding("uneven", False, f"classes are uneven: {text}", [])
