"""A toy format: data/{train,val}.npz with inputs (N, 6) int16 and targets (N, 2) float32."""

from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import DataError


class Reader:
    dtype = np.int16
    shape = (6,)
    size = None

    def __init__(self, path: Path, size: Any = None) -> None:
        self.path, self.classes = path.with_suffix(".npz"), ["one", "two"]
        try:
            with np.load(self.path) as arrays:
                self.inputs, self.targets = arrays["inputs"], arrays["targets"]
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error}") from error

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, index: int) -> str:
        return f"{self.path}: inputs[{index}]"

    def read(self, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        bad = indices[self.inputs[indices, 0] < 0]  # a negative number stands for a corrupt input
        if len(bad):
            raise DataError(f"{self.where(int(bad[0]))} is corrupt")
        return self.inputs[indices]


def write(path: Path, tree: Any) -> None:
    raise NotImplementedError("the tests write the toy's data themselves")
