"""Images as files in class folders: DATA/train/<class>/<image>, DATA/val/<class>/<image>.

Nothing is kept open, so any number of workers can read.
"""

import os
import shutil
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from .folder import ImageTree, scan
from .images import Crop, Size, choose_size, read

PATTERN = "{}"  # the files of a split


class Reader:
    """Random access to the N samples of a split.

    Another format needs `classes`, `targets` (N, ...), `shape` and `dtype` of a sample, `size`,
    `__len__`, `read` and `where`.
    """

    def __init__(self, path: Path, size: Size | None = None) -> None:
        """Images get `size` (height, width), by default their own: see `choose_size`."""
        if not os.path.exists(path):
            raise DataError(f"{path} not found: run `prepare --demo`, or `prepare --source DIR`")
        self.tree = tree = scan(path)
        self.classes, self.targets = tree.classes, tree.targets
        first = read(tree.path(0), size or choose_size(tree.path, len(tree)))
        self.size, self.shape, self.dtype = first.shape[:2], first.shape, first.dtype

    def __len__(self) -> int:
        return len(self.tree)

    def where(self, index: int) -> str:
        """The file of a sample, for messages."""
        return self.tree.path(index)

    def read(self, indices: np.ndarray, crop: Crop | None = None) -> np.ndarray:
        """Images (B, H, W, C); raises DataError naming a file. `crop` replaces the center crop."""
        paths = [self.tree.path(index) for index in indices.tolist()]
        if crop is None:
            return np.stack([read(path, self.size) for path in paths])
        pairs = zip(paths, indices.tolist(), strict=True)
        return np.stack([crop(read(path), self.size, index) for path, index in pairs])


def write(path: Path, tree: ImageTree) -> None:
    """Write a split: copies of the files."""
    for name in tree.classes:
        (path / name).mkdir(parents=True)
    for index in range(len(tree)):
        target = path / os.fsdecode(tree.paths[index])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree.path(index), target)
