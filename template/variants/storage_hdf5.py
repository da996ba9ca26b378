"""Images as pixels in one HDF5 file per split: data/train.h5, data/val.h5.

    images   uint8 (N, H, W, C), C = 1 (grey) or 3 (RGB)
    labels   integers (N,), each an index into classes; or what data/source.py makes of targets
    classes  attribute of the file: the class names

`write` stores the images in one piece, so that a memory map reads them with no HDF5 in between.
Chunked and compressed files are read too, but slower.
"""

import io
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ..base.errors import PACKAGE, DataError
from ..base.files import sync_file
from .folders import Tree
from .images import fit
from .source import checked


def split_path(data_dir: Path, split: str) -> Path:
    """Where a split, "train" or "val", lies."""
    return data_dir / f"{split}.h5"


class Reader:
    """Random access to the N images of a split; each process opens the file for itself.

    Attributes: `classes`; `targets` (N, ...); `shape` (H, W, C) and `dtype` of every image read:
    `size` where given, else the stored one; `copies`, whether reading only copies and draws no
    random number: then a thread can do it. Raises DataError where the data cannot be used.
    """

    dtype = np.uint8

    def __init__(self, path: Path, size: tuple[int, ...] | None = None) -> None:
        self.path = path
        with _open(path) as file:
            images = _dataset(file, "images")
            if images.dtype != np.uint8 or images.ndim != 4 or images.shape[3] not in (1, 3):
                raise DataError(
                    f"{path}: images is {images.dtype} {images.shape}, not uint8 (N, H, W, 1 or 3)"
                )
            self.classes = _read_classes(file)
            self.targets = _read_labels(file, len(images), self.classes)
            self._stored: tuple[int, ...] = images.shape  # N, H, W, C
            # where the pixels begin in the file, in bytes; None unless they are in one piece
            self._offset: int | None = None if images.external else images.id.get_offset()
            self._chunk_bytes = int(np.prod(images.chunks or 0))
        height, width = size or self._stored[1:3]
        self.shape = height, width, self._stored[3]
        self.copies = self._offset is not None and self._stored[1:3] == (height, width)
        self._pixels: Any = None
        self._pid = 0  # the process that opened them

    def __len__(self) -> int:
        return len(self.targets)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pixels": None, "_pid": 0}

    def where(self, index: int) -> str:
        """The place of image `index`, for messages."""
        return f"{self.path}: images[{index}]"

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Images (B, H, W, C) uint8, in the order of `indices`; raises DataError naming a place."""
        if self._pid != os.getpid():  # the first read, or a fork has copied its parent's handle
            self._pixels, self._pid = self._open_pixels(), os.getpid()
        if self._offset is not None:
            images: np.ndarray = self._pixels.take(indices, axis=0)  # faster than to index them
        else:
            images = self._read_chunks(indices)
        height, width, _ = self.shape
        if self._stored[1:3] == (height, width):
            return images
        resized = np.empty((len(indices), *self.shape), np.uint8)
        for row, image in zip(resized, images, strict=True):
            row[...] = fit(image, height, width)
        return resized

    def _open_pixels(self) -> Any:
        if self._offset is not None:
            mapped = np.memmap(self.path, np.uint8, "r", self._offset, self._stored)
            return mapped.view(np.ndarray)
        # the default cache of 1 MiB would unpack a larger chunk again for each of its images
        return _open(self.path, rdcc_nbytes=max(1 << 20, 2 * self._chunk_bytes))["images"]

    def _read_chunks(self, indices: np.ndarray) -> np.ndarray:
        """Read each image once and in file order, so that each chunk is unpacked once."""
        unique, inverse = np.unique(indices, return_inverse=True)
        images = np.empty((len(unique), *self._stored[1:]), np.uint8)
        for row, index in enumerate(unique.tolist()):
            try:
                self._pixels.read_direct(images, index, row)
            except OSError as error:
                raise DataError(f"{self.where(index)}: {_reason(error)}") from error
        return images[inverse]


def write(
    path: Path, tree: Tree, size: tuple[int, int], images: Iterable[np.ndarray | None]
) -> None:
    """Write a split: (*size, 3) uint8 for each image of `tree`, in its order; None skips it.

    Raises DataError where HDF5 cannot keep the name of a class.
    """
    for name in tree.classes:
        try:
            name.encode()
        except UnicodeEncodeError:  # the system's names may be any bytes
            raise DataError(
                f"{tree.root}: the name of the class {name!r} is not UTF-8, as HDF5 has its names: "
                "rename it"
            ) from None
    kept: list[int] = []
    offset = _create(path, tree.targets, tree.classes, size)
    # past HDF5, which crashes where the disk is full
    with path.open("rb+") as file:
        file.seek(offset)
        for index, image in enumerate(images):
            if image is not None:
                file.write(image.data)
                kept.append(index)
    sync_file(path)
    if 0 < len(kept) < len(tree):
        _shorten(path, offset, tree, size, kept)


def _create(path: Path, labels: np.ndarray, classes: list[str], size: tuple[int, int]) -> int:
    """Make a file with room for the images; returns where they begin, in bytes."""
    memory = io.BytesIO()  # HDF5 itself crashes where the disk is full
    with h5py.File(memory, "w", libver="v108") as file:  # older versions limit names to 64 KB
        file["labels"] = labels
        file.attrs["classes"] = classes
        images = file.create_dataset("images", (len(labels), *size, 3), np.uint8, fill_time="never")
        images[0, 0, 0, 0] = 0  # has the space allocated, but no more than its first byte written
        offset: int = images.id.get_offset()
    path.write_bytes(memory.getvalue())
    return offset


def _shorten(path: Path, offset: int, tree: Tree, size: tuple[int, int], kept: list[int]) -> None:
    """Move the images into a file with room for these alone: what is in one piece cannot shrink."""
    shorter = path.with_suffix(".shorter")
    new_offset = _create(shorter, tree.targets[kept], tree.classes, size)
    with path.open("rb") as old, shorter.open("rb+") as new:
        old.seek(offset)
        new.seek(new_offset)
        for _ in kept:
            new.write(old.read(math.prod(size) * 3))
    sync_file(shorter)
    os.replace(shorter, path)


def _open(path: Path, **options: int) -> h5py.File:
    try:
        return h5py.File(path, "r", **options)
    except FileNotFoundError:
        raise DataError(
            f"{path} not found: run `python -m {PACKAGE}.prepare --demo`, "
            "or with --source DIR for your own images"
        ) from None
    except OSError as error:
        raise DataError(f"{path}: {_reason(error)}") from error


def _dataset(file: h5py.File, name: str) -> h5py.Dataset:
    dataset = file.get(name)
    if not isinstance(dataset, h5py.Dataset):
        raise DataError(f"{file.filename} has no data set {name!r} (images and labels are needed)")
    return dataset


def _read_classes(file: h5py.File) -> list[str]:
    names = file.attrs.get("classes")
    if names is None:
        raise DataError(f"{file.filename} has no attribute 'classes', the list of class names")
    return [n.decode() if isinstance(n, bytes) else str(n) for n in np.atleast_1d(names).tolist()]


def _read_labels(file: h5py.File, count: int, classes: list[str]) -> np.ndarray:
    labels = _dataset(file, "labels")
    if labels.shape[:1] != (count,) or not count:
        raise DataError(
            f"{file.filename}: labels is {labels.dtype} {labels.shape}, "
            f"not one for each of {count} images"
        )
    return checked(labels[:], classes, f"{file.filename}: labels")


def _reason(error: OSError) -> str:
    """The system's reason where there is one, else HDF5's."""
    return os.strerror(error.errno) if error.errno else _one_line(error)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
