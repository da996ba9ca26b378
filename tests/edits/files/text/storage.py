"""Texts as lines: data/{train,val}.tsv, a class and a text each, as LENGTH bytes of UTF-8."""

from pathlib import Path

import numpy as np

from ..base.errors import PACKAGE, DataError

LENGTH = 24  # longer texts are cut, shorter ones filled with zeros


def split_path(data_dir: Path, split: str) -> Path:
    """Where a split, "train" or "val", lies."""
    return data_dir / f"{split}.tsv"


def encode(text: str) -> np.ndarray:
    """The text's bytes, each plus one, (LENGTH,) int64."""
    found = np.frombuffer(text.encode()[:LENGTH], np.uint8).astype(np.int64) + 1
    return np.pad(found, (0, LENGTH - len(found)))


class Reader:
    """Random access to the N texts of a split."""

    copies = True
    dtype = np.int64
    shape = (LENGTH,)

    def __init__(self, path: Path, size: tuple[int, ...] | None = None) -> None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise DataError(f"{path}: {error.strerror} ({PACKAGE} reads texts)") from error
        pairs = [line.split("\t", 1) for line in lines]
        self.path, self.classes = path, sorted({name for name, _ in pairs})
        self.targets = np.array([self.classes.index(name) for name, _ in pairs])
        self._inputs = np.stack([encode(text) for _, text in pairs])

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, index: int) -> str:
        """The place of text `index`, for messages."""
        return f"{self.path}, line {index + 1}"

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Texts (B, LENGTH) int64, in the order of `indices`."""
        return self._inputs[indices]
