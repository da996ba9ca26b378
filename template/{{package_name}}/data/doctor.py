"""Looks at every sample of both splits, prepared or as files, and says what may be wrong."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from .alike import NONE, Mark, collect, mark_of
from .findings import Finding, Place, Seen, Split, counted, uneven
from .folders import Tree
from .images import read
from .source import find_splits
from .splits import open_splits
from .subset import Samples
from .threads import in_order, with_progress

CHUNK = 64  # samples to read at once
NAMES = ("train", "val")


def prepared(data_dir: Path, *, shards: bool = False) -> list[Split]:
    """Both splits of a data folder."""
    readers = open_splits(data_dir, None, shards=shards)
    return [of_reader(name, reader) for name, reader in zip(NAMES, readers, strict=True)]


def in_files(source: Path, val_fraction: float, seed: int, *, leaves: bool) -> list[Split]:
    """Both splits of the image files that `prepare` takes from a folder; none of other files."""
    trees = find_splits(source, val_fraction, seed, leaves=leaves)
    pairs = zip(NAMES, trees, strict=True)
    return [of_tree(name, tree) for name, tree in pairs if isinstance(tree, Tree)]


def of_reader(name: str, reader: Samples) -> Split:
    """Prepared data."""

    def marks() -> Iterator[Mark | str]:
        for start in range(0, len(reader), CHUNK):
            indices = np.arange(start, min(start + CHUNK, len(reader)))
            try:
                yield from map(mark_of, reader.read(indices))
            except DataError:  # one by one, to know which
                yield from map(one, indices.tolist())

    def content(index: int) -> np.ndarray:
        return reader.read(np.array([index]))[0]

    def one(index: int) -> Mark | str:
        try:
            return mark_of(content(index))
        except DataError as error:
            return str(error)

    files = os.path.isfile(reader.where(0))
    return Split(name, reader.targets, reader.classes, marks, content, reader.where, files)


def of_tree(name: str, tree: Tree) -> Split:
    """Image files, as `prepare` finds them."""

    def one(path: str) -> Mark | str:
        try:
            return mark_of(read(path))
        except DataError as error:
            return str(error)

    def marks() -> Iterator[Mark | str]:
        return in_order(one, map(tree.path, range(len(tree))))

    def content(index: int) -> np.ndarray:
        return read(tree.path(index))

    return Split(name, tree.targets, tree.classes, marks, content, tree.path, files=True)


def examine(splits: Sequence[Split]) -> list[Finding]:
    """Look at every sample; returns what was found, what is certain first."""
    places: list[Place] = []
    marks: list[Mark] = []
    reasons: list[tuple[Place, str]] = []
    for split in splits:
        for index, mark in enumerate(with_progress(split.marks(), split.name, len(split.targets))):
            places.append((split.name, index))
            marks.append(NONE if isinstance(mark, str) else mark)
            if isinstance(mark, str):
                reasons.append((places[-1], mark))
    known = [one for split in splits for one in targets_of(split)]
    targets = [b"" if isinstance(one, str) else one for one in known]
    bad = zip(places, known, strict=True)
    reasons += [(place, one) for place, one in bad if isinstance(one, str)]
    seen = Seen(splits, places, collect(marks), targets)
    found = [
        *unreadable(reasons),
        *seen.copies(),
        *seen.near_copies(),
        *seen.blank(),
        *seen.tiny(),
        *seen.file_names(),
        *uneven(splits),
    ]
    return sorted(found, key=lambda finding: not finding.wrong)


def targets_of(split: Split) -> Iterator[bytes | str]:
    """A digest of each target, or why it cannot be read; empty for the name of a file."""

    def one(index: int) -> bytes | str:
        try:
            return digest_of(split.targets[np.array([index])][0])
        except DataError as error:
            return str(error)

    for start in range(0, len(split.targets), CHUNK):  # some stay on the disk: masks
        indices = np.arange(start, min(start + CHUNK, len(split.targets)))
        try:
            yield from map(digest_of, split.targets[indices])
        except DataError:
            yield from map(one, indices.tolist())


def digest_of(target: np.ndarray) -> bytes:
    """Equal for equal targets, and empty for text, which only says where one lies."""
    if target.dtype.kind not in "biuf":
        return b""
    return hashlib.blake2b(target.tobytes(), digest_size=16).digest()


def in_words(findings: list[Finding]) -> list[str]:
    """A line for each finding."""
    if not findings:
        return ["nothing was found"]
    return [f"{'wrong' if finding.wrong else 'look '} {finding.words}" for finding in findings]


def unreadable(reasons: list[tuple[Place, str]]) -> Iterator[Finding]:
    """Samples that cannot be read."""
    if reasons:
        words = f"{counted(len(reasons))} cannot be read, the first: {reasons[0][1]}"
        yield Finding("unreadable", True, words, [[place] for place, _ in reasons])
