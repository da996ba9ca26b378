"""A part of the samples, read as if it were all of them."""

from typing import Any

import numpy as np

from .storage import Reader


class Picked:
    """Some of the targets of a reader that keeps them on the disk."""

    def __init__(self, targets: Any, indices: np.ndarray) -> None:
        self._targets, self._indices = targets, indices

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, indices: np.ndarray) -> np.ndarray:
        return self._targets[self._indices[indices]]


class Subset:
    """`count` samples of a reader, evenly spread over it; it reads like the reader itself."""

    def __init__(self, reader: Reader, count: int) -> None:
        """Take all samples where there are no more than `count`."""
        count = min(count, len(reader))
        self._indices = np.arange(count) * len(reader) // max(count, 1)
        self._reader = reader
        self.classes, self.shape, self.dtype = reader.classes, reader.shape, reader.dtype
        self.copies = reader.copies
        self.targets = reader.targets
        if isinstance(self.targets, np.ndarray):
            self.targets = self.targets[self._indices]
        else:  # on the disk
            self.targets = Picked(self.targets, self._indices)

    def __len__(self) -> int:
        return len(self._indices)

    def where(self, index: int) -> str:
        """The place of sample `index`, for messages."""
        return self._reader.where(int(self._indices[index]))

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Inputs (B, ...) in the order of `indices`; raises DataError naming a place."""
        return self._reader.read(self._indices[indices])


Samples = Reader | Subset  # all of a split, or a part of it
