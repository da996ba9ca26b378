"""A toy format: data/{train,val}.npz with inputs (N, 6) int16 and targets (N, 2) float32."""

from pathlib import Path

import numpy as np

from ..base.errors import DataError


def split_path(data_dir: Path, split: str) -> Path:
    return data_dir / f"{split}.npz"


class Reader:
    copies = False
    dtype = np.int16
    shape = (6,)

    def __init__(self, path: Path, size: tuple[int, ...] | None = None) -> None:
        try:
            with np.load(path) as arrays:
                self._inputs, self.targets = arrays["inputs"], arrays["targets"]
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error}") from error
        self.path, self.classes = path, [str(number) for number in range(2)]

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, index: int) -> str:
        return f"{self.path}: inputs[{index}]"

    def read(self, indices: np.ndarray) -> np.ndarray:
        bad = indices[self._inputs[indices, 0] < 0]  # a negative number stands for a damaged input
        if len(bad):
            raise DataError(f"{self.where(int(bad[0]))} is damaged")
        return self._inputs[indices]
