"""Texts in one HDF5 file per split: data/train.h5, data/val.h5.

    texts    strings of one length (N,), as UTF-8: zeros fill the shorter ones up
    labels   integers (N,), each an index into classes
    classes  attribute of the file: the class names

A text is read as its bytes. They are stored in one piece, so that a memory map reads them with no
HDF5 in between.
"""

import io
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ..base.errors import PACKAGE, DataError
from ..base.files import sync_file
from .source import checked


def split_path(data_dir: Path, split: str) -> Path:
    """Where a split, "train" or "val", lies."""
    return data_dir / f"{split}.h5"


class Reader:
    """Random access to the N texts of a split; each process opens the file for itself.

    Attributes: `classes`; `targets` (N,); `shape` (L,) and `dtype` of every text read: `size` where
    given, else the stored length; `copies`, as reading does no more. Raises DataError where the
    data cannot be used.
    """

    dtype = np.uint8
    copies = True

    def __init__(self, path: Path, size: tuple[int, ...] | None = None) -> None:
        self.path = path
        with _open(path) as file:
            texts = _dataset(file, "texts")
            if texts.dtype.kind != "S" or texts.ndim != 1:
                raise DataError(
                    f"{path}: texts is {texts.dtype} {texts.shape}, not (N,) strings of one length,"
                    " as np.array([text.encode() for text in texts]) has them"
                )
            self.classes = _read_classes(file)
            self.targets = _read_labels(file, len(texts), self.classes)
            self._stored = len(texts), texts.dtype.itemsize
            offset: int | None = None if texts.external else texts.id.get_offset()
        if offset is None:
            raise DataError(f"{path}: texts has chunks: store it in one piece")
        self._offset = offset  # where the texts begin in the file, in bytes
        self.shape = tuple(size or self._stored[1:])
        self._mapped: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.targets)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_mapped": None}

    def where(self, index: int) -> str:
        """The place of text `index`, for messages."""
        return f"{self.path}: texts[{index}]"

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Texts (B, L) uint8, in the order of `indices`: cut to the length, or filled up."""
        if self._mapped is None:
            mapped = np.memmap(self.path, np.uint8, "r", self._offset, self._stored)
            self._mapped = mapped.view(np.ndarray)
        stored = self._mapped.take(indices, axis=0)
        if stored.shape[1:] == self.shape:
            return stored
        texts = np.zeros((len(indices), *self.shape), np.uint8)
        shorter = min(texts.shape[1], stored.shape[1])
        texts[:, :shorter] = stored[:, :shorter]
        return texts


def write(path: Path, tokens: np.ndarray, labels: np.ndarray, classes: list[str]) -> None:
    """Write a split: the bytes of all texts (N, L) uint8, the class of each (N,)."""
    memory = io.BytesIO()  # HDF5 itself crashes where the disk is full
    with h5py.File(memory, "w", libver="v108") as file:  # older versions limit names to 64 KB
        file["labels"] = labels
        file.attrs["classes"] = classes
        file["texts"] = tokens.view(f"S{tokens.shape[1]}")[:, 0]
    path.write_bytes(memory.getbuffer())
    sync_file(path)


def _open(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r")
    except FileNotFoundError:
        raise DataError(
            f"{path} not found: run `python -m {PACKAGE}.prepare --demo`, "
            "or with --source DIR for your own texts"
        ) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else " ".join(str(error).split())
        raise DataError(f"{path}: {reason}") from error


def _dataset(file: h5py.File, name: str) -> h5py.Dataset:
    dataset = file.get(name)
    if not isinstance(dataset, h5py.Dataset):
        raise DataError(f"{file.filename} has no data set {name!r} (texts and labels are needed)")
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
            f"not one for each of {count} texts"
        )
    return checked(labels[:], classes, f"{file.filename}: labels")
