"""Images as files in class folders: data/train/<class>/<image>, data/val/<class>/<image>.

Classes and images are in the order of torchvision's ImageFolder. Every image is decoded each time
it is read; one of another size is resized and cropped to the common one.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ..base.errors import PACKAGE, DataError
from .folders import Tree
from .images import read
from .source import complete, scan
from .survey import choose_size


def split_path(data_dir: Path, split: str) -> Path:
    """Where a split, "train" or "val", lies."""
    return data_dir / split


class Reader:
    """Random access to the N images of a split.

    Attributes: `classes`; `targets` (N, ...); `shape` (H, W, C) and `dtype` of every image read:
    `size` where given, else that of the first image; `copies`, whether reading only copies and
    draws no random number: then a thread can do it. Raises DataError where the data cannot be used.
    """

    copies = False
    dtype = np.uint8

    def __init__(self, path: Path, size: tuple[int, ...] | None = None) -> None:
        if not os.path.exists(path):
            raise DataError(
                f"{path} not found: run `python -m {PACKAGE}.prepare --demo`, "
                "or with --source DIR for your own images"
            )
        self._tree = scan(path)
        self.classes = self._tree.classes
        self.targets = self._tree.targets
        height, width = size or choose_size(self._tree)[0]
        self.shape = height, width, 3

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, index: int) -> str:
        """The file of image `index`, for messages."""
        return self._tree.path(index)

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Images (B, H, W, C) uint8, in the order of `indices`; raises DataError naming a file."""
        images = np.empty((len(indices), *self.shape), np.uint8)
        # all at once: amid the decoding, with cold caches, each would take three times as long
        for image, path in zip(images, self._tree.paths(indices), strict=True):
            read(path, image)
        return images


def write(path: Path, tree: Tree, files: Iterable[bytes | None]) -> None:
    """Write a split: a file's content for each image of `tree`, in its order; None skips it."""
    path.mkdir(parents=True)
    kept: list[int] = []
    for index, content in enumerate(files):
        if content is not None:
            folder = tree.folders[tree.places[index]].replace(os.sep, "-")  # of the class itself
            copy = path / folder / tree.names[index]
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            kept.append(index)
    complete(path, tree.select(np.array(kept, int)))
    if hasattr(os, "sync"):  # not on Windows
        os.sync()  # once: an fsync for each of a million files would take hours
