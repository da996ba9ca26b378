"""Several data folders that are read as one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import DataError
from .splits import open_split
from .subset import Samples


class Joined:
    """The samples of several readers, one reader after the other; it reads like each of them."""

    def __init__(self, readers: Sequence[Samples]) -> None:
        self._readers = readers
        self._starts = np.cumsum([0, *map(len, readers)])
        first = readers[0]
        self.classes, self.shape, self.dtype = first.classes, first.shape, first.dtype
        self.copies = all(reader.copies for reader in readers)
        targets = [reader.targets for reader in readers]
        in_memory = all(isinstance(part, np.ndarray) for part in targets)
        self.targets = np.concatenate(targets) if in_memory else JoinedTargets(targets)

    def __len__(self) -> int:
        return int(self._starts[-1])

    def where(self, index: int) -> str:
        """The place of sample `index`, for messages."""
        ((number, _, own),) = of_each(self._starts, np.array([index]))
        return self._readers[number].where(int(own[0]))

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Inputs (B, ...) in the order of `indices`; raises DataError naming a place."""
        inputs = np.empty((len(indices), *self.shape), self.dtype)
        for number, places, own in of_each(self._starts, indices):
            inputs[places] = self._readers[number].read(own)
        return inputs


class JoinedTargets:
    """The targets of several readers, of which some keep theirs on the disk."""

    def __init__(self, targets: Sequence[Any]) -> None:
        self._targets = targets
        self._starts = np.cumsum([0, *map(len, targets)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, indices: np.ndarray) -> np.ndarray:
        found = [(p, self._targets[n][own]) for n, p, own in of_each(self._starts, indices)]
        order = np.argsort(np.concatenate([places for places, _ in found]))
        return np.concatenate([part for _, part in found])[order]


def of_each(starts: np.ndarray, indices: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """For each reader that samples are of: its number, their positions, their numbers in it."""
    readers = np.searchsorted(starts, indices, side="right") - 1
    found = []
    for number in np.unique(readers).tolist():
        places = np.flatnonzero(readers == number)
        found.append((number, places, indices[places] - starts[number]))
    return found


def open_like(first: Samples, data_dir: Path, name: Path, *, shards: bool = False) -> Samples:
    """Open the training data of a further folder, its inputs of the first one's size.

    `name` is what messages call it. Raises DataError where it has other classes, or inputs or
    targets of another kind.
    """
    reader = open_split(data_dir, "train", first.shape[:2], shards=shards)
    if not len(reader):
        raise DataError(f"--join {name} has no samples to train on")
    if reader.classes != first.classes:
        raise DataError(f"--join {name} has other classes than --data-dir: {odd(first, reader)}")
    if kind_of(reader) != kind_of(first):
        raise DataError(f"--join {name} has {kind_of(reader)}; --data-dir has {kind_of(first)}")
    return reader


def kind_of(reader: Samples) -> str:
    """Type and shape of a reader's inputs and targets."""
    target = reader.targets[np.array([0])]
    inputs = f"inputs {np.dtype(reader.dtype)} {reader.shape}"
    return f"{inputs} and targets {target.dtype} {target.shape[1:]}"


def odd(first: Samples, other: Samples) -> str:
    """In what the classes of two readers differ."""
    names = sorted(set(first.classes) ^ set(other.classes))
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return f"only one of them has {', '.join(names[:5])}{more}"
    pairs = zip(first.classes, other.classes, strict=True)
    number, (here, there) = next((n, p) for n, p in enumerate(pairs) if p[0] != p[1])
    return f"they are in another order, number {number} is {there} and not {here}"
