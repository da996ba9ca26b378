"""Images in one LMDB file per split: data/train.lmdb, data/val.lmdb.

    0000000000, 0000000001, …   one image each: H x W x C bytes, C = 1 (grey) or 3 (RGB), if the
                                encoding is "raw"; a whole image file of any size if it is "encoded"
    labels                      N little-endian 64-bit integers, each an index into classes; or
                                numbers of the type and shape that meta has
    meta                        JSON: classes, count, height, width, channels, encoding; for other
                                targets target_type ("<f4") and target_shape ([3]), too

A database is a single file with no lock file beside it (subdir=False, lock=False): nothing writes
to it once it is there.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import lmdb
import numpy as np

from ..base.errors import DataError
from ..base.files import sync_file
from .folders import Tree
from .images import decode_into, fit
from .lmdb_file import Meta, Records, environment, key_of, parse_labels, parse_meta, place_of
from .source import checked

MIB = 1 << 20


def split_path(data_dir: Path, split: str) -> Path:
    """Where a split, "train" or "val", lies."""
    return data_dir / f"{split}.lmdb"


class Reader:
    """Random access to the N images of a split; each process opens the file for itself.

    Attributes: `classes`; `targets` (N, ...); `shape` (H, W, C) and `dtype` of every image read:
    `size` where given, else the stored one; `copies`, whether reading only copies and draws no
    random number: then a thread can do it. Raises DataError where the data cannot be used.
    """

    dtype = np.uint8

    def __init__(self, path: Path, size: tuple[int, ...] | None = None) -> None:
        self.path = path
        with environment(path).begin() as transaction:
            meta = parse_meta(transaction.get(b"meta"), path)
            packed = transaction.get(b"labels")
        self.classes = meta.classes
        targets = parse_labels(packed, meta, path)
        self.targets = checked(targets, meta.classes, f"{path}: labels")
        self._encoded = meta.encoding == "encoded"
        self._stored = meta.height, meta.width, meta.channels
        height, width = size or self._stored[:2]
        self.shape = height, width, self._stored[2]
        self.copies = not self._encoded and self._stored[:2] == (height, width)
        self._records: Records | None = None
        self._pid = 0  # the process that opened them

    def __len__(self) -> int:
        return len(self.targets)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_records": None, "_pid": 0}

    def where(self, index: int) -> str:
        """The place of image `index`, for messages."""
        return place_of(self.path, index)

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Images (B, H, W, C) uint8, in the order of `indices`; raises DataError naming a place."""
        if self._records is None or self._pid != os.getpid():  # the first read, or after a fork
            self._records, self._pid = Records(self.path, len(self)), os.getpid()
        height, width, _ = self.shape
        if self._encoded:
            return self._decode(indices, self._records.copy(indices))
        images = self._records.gather(indices, self._stored)
        if self._stored[:2] == (height, width):
            return images
        resized = np.empty((len(indices), *self.shape), np.uint8)
        for row, image in zip(resized, images, strict=True):
            row[...] = fit(image, height, width)
        return resized

    def _decode(self, indices: np.ndarray, files: list[bytes]) -> np.ndarray:
        images = np.empty((len(indices), *self.shape), np.uint8)
        for index, file, image in zip(indices.tolist(), files, images, strict=True):
            try:
                decode_into(file, image)
            except DataError as error:
                raise DataError(f"{self.where(index)}: {error}") from error
        return images


def write(
    path: Path, tree: Tree, size: tuple[int, int], images: Iterable[np.ndarray | bytes | None]
) -> None:
    """Write a split, for each image of `tree` in its order: (*size, 3) uint8, or None to skip it.

    Bytes instead are a file's, all of them, to be decoded when they are read.
    """
    try:
        with lmdb.open(str(path), map_size=MIB, subdir=False, lock=False, sync=False) as env:
            batch: list[tuple[bytes, bytes]] = []
            waiting = 0
            for record in _records(tree, size, images):
                batch.append(record)
                waiting += len(record[1])
                if waiting > 16 * MIB:
                    _commit(env, batch)
                    batch, waiting = [], 0
            _commit(env, batch)
        sync_file(path)
    except lmdb.Error as error:
        raise DataError(f"{path} cannot be written: {error}") from error


def _records(
    tree: Tree, size: tuple[int, int], images: Iterable[np.ndarray | bytes | None]
) -> Iterator[tuple[bytes, bytes]]:
    """Key and value of all that the file holds, in the order of the keys."""
    kept: list[int] = []
    encoding = "raw"
    for index, image in enumerate(images):
        if isinstance(image, bytes):
            encoding = "encoded"
        if image is not None:
            yield key_of(len(kept)), bytes(image)
            kept.append(index)
    targets = tree.targets[kept]
    targets = targets.astype(targets.dtype.newbyteorder("<"))
    kind, shape = targets.dtype.str, list(targets.shape[1:])
    yield b"labels", targets.tobytes()
    meta = Meta(tree.classes, len(kept), *size, 3, encoding, kind, shape)
    yield b"meta", json.dumps(asdict(meta)).encode()


def _commit(env: lmdb.Environment, batch: list[tuple[bytes, bytes]]) -> None:
    """Write the records; the map grows by a quarter at a time, as on Windows it takes disk."""
    while True:
        try:
            with env.begin(write=True) as transaction:
                for key, value in batch:
                    transaction.put(key, value, append=True)
            return
        except lmdb.MapFullError:
            size = env.info()["map_size"]
            env.set_mapsize(size + (size // (4 * MIB) + 1) * MIB)
