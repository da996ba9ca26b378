"""Images as pixels in one HDF5 file per split: DATA/train.h5, DATA/val.h5.

images   uint8 (N, H, W, C)
labels   integers (N,), each an index into classes; or whatever `scan` in folder.py makes of targets
classes  attribute: the class names

`write` stores the images in one piece, so that a memory map reads them without HDF5 in between.
Chunked and compressed files of others are read, too, but more slowly.
"""

import io
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ..base.errors import DataError
from .folder import ImageTree
from .images import Crop, Size, fit, read

PATTERN = "{}.h5"  # the files of a split


class Reader:
    """Random access to the N samples of a split.

    Another format needs `classes`, `targets` (N, ...), `shape` and `dtype` of a sample, `size`,
    `__len__`, `read` and `where`.
    """

    def __init__(self, path: Path, size: Size | None = None) -> None:
        """Images get `size` (height, width), by default the stored one."""
        self.path = path.with_suffix(".h5")
        if not os.path.exists(self.path):
            raise DataError(
                f"{self.path} not found: run `prepare --demo`, or `prepare --source DIR`"
            )
        try:
            with h5py.File(self.path, "r", locking=False) as file:
                images, labels, names = file["images"], file["labels"], file.attrs["classes"]
                self.stored, self.dtype = images.shape, images.dtype
                # where the pixels begin in the file; None unless they are in one piece
                self.offset = None if images.external else images.id.get_offset()
                self.targets = labels[:]
        except (OSError, KeyError, AttributeError) as error:
            raise DataError(
                f"{self.path} is not a file with images, labels and the attribute classes: "
                f"{' '.join(str(error).split())}"
            ) from error
        self.classes = [n.decode() if isinstance(n, bytes) else str(n) for n in names]
        self._check()
        self.size = tuple(size or self.stored[1:3])
        self.shape = (*self.size, self.stored[3])
        self._images: Any = None
        self._pid = 0  # of the process that opened them: no other may use what it opened

    def _check(self) -> None:
        if len(self.stored) != 4 or self.dtype.kind != "u":
            raise DataError(
                f"{self.path}: images is {self.dtype} {self.stored}, not (N, H, W, C) uint8"
            )
        labels = self.targets
        if len(labels) != self.stored[0] or not len(labels):
            raise DataError(f"{self.path}: labels is {labels.shape}, images {self.stored}")
        if labels.dtype.kind in "iu" and labels.ndim == 1:
            self.targets = labels.astype(np.int64)
            for index in np.flatnonzero((labels < 0) | (labels >= len(self.classes)))[:1]:
                raise DataError(
                    f"{self.path}: labels[{index}] is {labels[index]}, which does not fit "
                    f"{len(self.classes)} classes"
                )

    def __getstate__(self) -> dict[str, Any]:  # for workers that are spawned
        return self.__dict__ | {"_images": None, "_pid": 0}

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, index: int) -> str:
        """The place of a sample, for messages."""
        return f"{self.path}: images[{index}]"

    def read(self, indices: np.ndarray, crop: Crop | None = None) -> np.ndarray:
        """Images (B, H, W, C); raises DataError naming one. `crop` sees them as they are stored."""
        if self._pid != os.getpid():
            self._images, self._pid = self._open(), os.getpid()
        if self.offset is None:
            images = np.stack([self._read_one(index) for index in indices.tolist()])
        else:
            images = self._images.take(indices, axis=0)
        if crop is not None:
            pairs = zip(images, indices.tolist(), strict=True)
            return np.stack([crop(image, self.size, index) for image, index in pairs])
        if images.shape[1:3] == self.size:
            return images
        return np.stack([fit(image, *self.size) for image in images])

    def _open(self) -> Any:
        if self.offset is not None:
            return np.memmap(self.path, self.dtype, "r", self.offset, self.stored).view(np.ndarray)
        return h5py.File(self.path, "r", locking=False)["images"]

    def _read_one(self, index: int) -> np.ndarray:
        try:
            return self._images[index]
        except OSError as error:
            raise DataError(f"{self.where(index)}: {' '.join(str(error).split())}") from error


def write(path: Path, tree: ImageTree, size: Size | None) -> None:
    """Write a split; images get `size` (height, width), by default that of the first one."""
    first = read(tree.path(0), size)
    size, memory = first.shape[:2], io.BytesIO()
    with h5py.File(memory, "w", libver="v108") as file:  # older versions limit names to 64 KB
        file["labels"], file.attrs["classes"] = tree.targets, tree.classes
        shape = (len(tree), *first.shape)
        images = file.create_dataset("images", shape, first.dtype, fill_time="never")
        images[0, 0, 0, 0] = 0  # allocates the space, but writes no more than this byte
        offset = images.id.get_offset()
    with path.with_suffix(".h5").open("wb") as file:  # HDF5 crashes when the disk is full
        file.write(memory.getbuffer())
        file.seek(offset)
        for index in range(len(tree)):
            file.write(read(tree.path(index), size).data)
