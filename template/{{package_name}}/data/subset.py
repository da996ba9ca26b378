"""A part of the samples, read as if it were all of them."""

from typing import Any, Protocol

import numpy as np


class Samples(Protocol):
    """All of a split, or a part of it: what a `Reader` has."""

    @property
    def classes(self) -> list[str]: ...
    @property
    def targets(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def copies(self) -> bool: ...
    def __len__(self) -> int: ...
    def where(self, index: int) -> str: ...
    def read(self, indices: np.ndarray) -> np.ndarray: ...


def skips_bad(reader: Any) -> bool:
    """Whether samples of this reader that cannot be read are left out, as --skip-bad asks for."""
    return getattr(reader, "skip_bad", False)


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

    def __init__(self, reader: Samples, count: int) -> None:
        """Take all samples where there are no more than `count`."""
        count = min(count, len(reader))
        self.indices = np.arange(count) * len(reader) // max(count, 1)
        self.reader = reader
        self.classes, self.shape, self.dtype = reader.classes, reader.shape, reader.dtype
        self.copies, self.skip_bad = reader.copies, skips_bad(reader)
        self.targets = reader.targets
        if isinstance(self.targets, np.ndarray):
            self.targets = self.targets[self.indices]
        else:  # on the disk
            self.targets = Picked(self.targets, self.indices)

    def __len__(self) -> int:
        return len(self.indices)

    def where(self, index: int) -> str:
        """The place of sample `index`, for messages."""
        return self.reader.where(int(self.indices[index]))

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Inputs (B, ...) in the order of `indices`; raises DataError naming a place."""
        return self.reader.read(self.indices[indices])
