"""Images as files in one LMDB database per split: DATA/train.lmdb, DATA/val.lmdb.

0, 1, 2, ...   as 8 bytes, big-endian: the bytes of an image file
labels         npy: integers (N,), each an index into classes; or what `scan` makes of targets
classes        JSON: the class names

A database is a single file (subdir=False) without a lock file: nothing writes to it any more.
"""

import io
import json
import os
import struct
from pathlib import Path
from typing import Any

import lmdb
import numpy as np

from ..base.errors import DataError
from .folder import ImageTree
from .images import Crop, Size, choose_size, decode, fit

PATTERN = "{}.lmdb"  # the files of a split
NUMBER = struct.Struct(">q")


environments: dict[tuple[int, int], Any] = {}  # by file
if hasattr(os, "register_at_fork"):  # a worker opens it anew
    os.register_at_fork(after_in_child=environments.clear)


def environment(path: Path) -> Any:
    """Open a database, once per process, as LMDB demands."""
    status = path.stat()
    key = status.st_dev, status.st_ino
    if key not in environments:
        # no lock: nobody writes, and a read-only disk has no place for one
        opened = lmdb.open(str(path), subdir=False, readonly=True, lock=False, readahead=False)
        needed = (opened.info()["last_pgno"] + 1) * opened.stat()["psize"]
        if status.st_size < needed:  # to read beyond the end would crash the process
            opened.close()
            raise lmdb.CorruptedError(f"cut short: {status.st_size:,} of {needed:,} bytes")
        environments[key] = opened
    return environments[key]


class Reader:
    """Random access to the N samples of a split.

    Another format needs `classes`, `targets` (N, ...), `shape` and `dtype` of a sample, `size`,
    `__len__`, `read` and `where`.
    """

    def __init__(self, path: Path, size: Size | None = None) -> None:
        """Images get `size` (height, width), by default their own: see `choose_size`."""
        self.path = path.with_suffix(".lmdb")
        if not os.path.exists(self.path):
            raise DataError(
                f"{self.path} not found: run `prepare --demo`, or `prepare --source DIR`"
            )
        try:
            self.classes = json.loads(self._get(b"classes"))
            self.targets = np.load(io.BytesIO(self._get(b"labels")))
        except ValueError as error:
            raise DataError(f"{self.path}: its classes or labels are corrupt: {error}") from error
        labels = self.targets
        if labels.dtype.kind in "iu" and labels.ndim == 1:
            for index in np.flatnonzero((labels < 0) | (labels >= len(self.classes)))[:1]:
                raise DataError(
                    f"{self.path}: labels[{index}] is {labels[index]}, which does not fit "
                    f"{len(self.classes)} classes"
                )
        if size is None:
            size = choose_size(lambda index: io.BytesIO(self._content(index)), len(self))
        first = self._decode(0, size or (0, 0))
        self.size: Size = size or first.shape[:2]
        first = fit(first, *self.size)
        self.shape, self.dtype = first.shape, first.dtype

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, index: int) -> str:
        """The place of a sample, for messages."""
        return f"{self.path}: image {index}"

    def _get(self, key: bytes, name: str = "") -> bytes:
        try:
            with environment(self.path).begin() as view:
                value = view.get(key)
        except (lmdb.Error, OSError) as error:
            raise DataError(f"{self.path} cannot be read: {error}") from error
        if value is None:
            raise DataError(f"{self.path} has no {name or repr(key.decode())}")
        return value

    def _content(self, index: int) -> bytes:
        return self._get(NUMBER.pack(index), f"image {index}")

    def _decode(self, index: int, at_least: Size) -> np.ndarray:
        content = self._content(index)
        try:
            return decode(content, at_least)
        except DataError as error:
            raise DataError(f"{self.where(index)}: {error}") from error

    def read(self, indices: np.ndarray, crop: Crop | None = None) -> np.ndarray:
        """Images (B, H, W, C); raises DataError naming one. `crop` replaces the center crop."""
        size = self.size
        if crop is None:
            return np.stack([fit(self._decode(i, size), *size) for i in indices.tolist()])
        return np.stack([crop(self._decode(i, (0, 0)), size, i) for i in indices.tolist()])


def write(path: Path, tree: ImageTree) -> None:
    """Write a split."""
    files = [Path(tree.path(index)) for index in range(len(tree))]
    # room for the pages that LMDB rounds each file up to; the file itself grows as needed
    room = 2 * sum(file.stat().st_size + 4096 for file in files) + (1 << 24)
    labels = io.BytesIO()
    np.save(labels, tree.targets)
    try:
        with lmdb.open(
            str(path.with_suffix(".lmdb")), map_size=room, subdir=False, lock=False
        ) as opened:
            for start in range(0, len(files), 1000):
                with opened.begin(write=True) as batch:
                    for index, file in enumerate(files[start : start + 1000], start):
                        batch.put(NUMBER.pack(index), file.read_bytes(), append=True)
            with opened.begin(write=True) as batch:
                batch.put(b"classes", json.dumps(tree.classes).encode())
                batch.put(b"labels", labels.getvalue())
    except lmdb.Error as error:
        raise DataError(f"{path.with_suffix('.lmdb')} cannot be written: {error}") from error
