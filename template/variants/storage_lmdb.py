"""Images as pixels in one LMDB file per split: data/train.lmdb, data/val.lmdb.

    0000000000, 0000000001, …   one image each: H x W x C bytes, C = 1 (grey) or 3 (RGB)
    labels                      N little-endian 64-bit integers, each an index into classes
    meta                        JSON: classes, count, height, width, channels, encoding ("raw")

A database is a single file with no lock file beside it (subdir=False, lock=False): nothing writes
to it once it is there.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import lmdb
import numpy as np

from .errors import DataError
from .folders import Tree
from .images import fit

MIB = 1 << 20


def split_path(data_dir: Path, split: str) -> Path:
    """Where a split, "train" or "val", lies."""
    return data_dir / f"{split}.lmdb"


@dataclass(frozen=True)
class Meta:
    """What the record "meta" says."""

    classes: list[str]
    count: int
    height: int
    width: int
    channels: int
    encoding: str = "raw"


class Reader:
    """Random access to the N images of a split; each process opens the file for itself.

    Attributes: `classes`, `labels` (N,) int64, `shape` (H, W, C) of every image read: `size` where
    given, else the stored one. Raises DataError where the data cannot be used.
    """

    def __init__(self, path: Path, size: tuple[int, int] | None = None) -> None:
        self.path = path
        with _environment(path).begin() as transaction:
            meta = _parse_meta(transaction.get(b"meta"), path)
            packed = transaction.get(b"labels")
        self.classes = meta.classes
        self.labels = _parse_labels(packed, meta, path)
        self._stored = meta.height, meta.width, meta.channels
        self._record_bytes = math.prod(self._stored)
        height, width = size or self._stored[:2]
        self.shape = height, width, self._stored[2]
        self._opened: lmdb.Environment | None = None
        self._pid = 0  # the process that opened it

    def __len__(self) -> int:
        return len(self.labels)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None, "_pid": 0}

    def where(self, index: int) -> str:
        """The place of image `index`, for messages."""
        return f"{self.path}: record {_key(index).decode()}"

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Images (B, H, W, C) uint8, in the order of `indices`; raises DataError naming a place."""
        if self._opened is None or self._pid != os.getpid():  # the first read, or after a fork
            self._opened, self._pid = _environment(self.path), os.getpid()
        records = []
        with self._opened.begin(buffers=True) as transaction:
            for index in indices.tolist():
                record = transaction.get(_key(index))
                if record is None:
                    raise DataError(f"{self.where(index)} is missing")
                if len(record) != self._record_bytes:
                    wanted = " x ".join(map(str, self._stored))
                    raise DataError(f"{self.where(index)} has {len(record)} bytes, not {wanted}")
                records.append(record)
            pixels = bytearray().join(records)  # a copy: the records end with the transaction
        images = np.frombuffer(pixels, np.uint8).reshape(-1, *self._stored)
        height, width, _ = self.shape
        if self._stored[:2] == (height, width):
            return images
        resized = np.empty((len(indices), *self.shape), np.uint8)
        for row, image in zip(resized, images, strict=True):
            row[...] = fit(image, height, width)
        return resized


def write(
    path: Path, tree: Tree, size: tuple[int, int], images: Iterable[np.ndarray | None]
) -> None:
    """Write a split: (*size, 3) uint8 for each image of `tree`, in its order; None skips it."""
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
            env.sync(True)
    except lmdb.Error as error:
        raise DataError(f"{path} cannot be written: {error}") from error


def _records(
    tree: Tree, size: tuple[int, int], images: Iterable[np.ndarray | None]
) -> Iterator[tuple[bytes, bytes]]:
    """Key and value of all that the file holds, in the order of the keys."""
    labels: list[int] = []
    for label, image in zip(tree.labels.tolist(), images, strict=True):
        if image is not None:
            yield _key(len(labels)), image.tobytes()
            labels.append(label)
    yield b"labels", np.array(labels, "<i8").tobytes()
    yield b"meta", json.dumps(asdict(Meta(tree.classes, len(labels), *size, 3))).encode()


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


def _key(index: int) -> bytes:
    return b"%010d" % index


# by process and file: LMDB allows a process to open a file once, and none to use another's
_environments: dict[tuple[int, int, int], lmdb.Environment] = {}


def _environment(path: Path) -> lmdb.Environment:
    """The one environment of this file in this process."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise DataError(
            f"{path} not found: run `python -m {__package__}.prepare --demo`, "
            "or with --source DIR for your own images"
        ) from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    pid = os.getpid()
    for key in [key for key in _environments if key[0] != pid]:  # copied from a parent by fork
        _environments.pop(key).close()
    key = pid, status.st_dev, status.st_ino
    if key not in _environments:
        _environments[key] = _open(path, status.st_size)
    return _environments[key]


def _open(path: Path, size: int) -> lmdb.Environment:
    try:
        env = lmdb.open(
            str(path), subdir=False, readonly=True, create=False, lock=False, readahead=False
        )
    except lmdb.Error as error:
        raise DataError(f"{path}: {error}") from error
    needed = (env.info()["last_pgno"] + 1) * env.stat()["psize"]
    if size < needed:  # reading beyond the end of the file would crash the process
        env.close()
        raise DataError(f"{path} is cut short: {size} of {needed} bytes are there")
    return env


def _parse_meta(record: bytes | None, path: Path) -> Meta:
    if record is None:
        raise DataError(f"{path} has no record 'meta': it is not in the layout of storage.py")
    try:
        found = json.loads(record)
        meta = Meta(*(found[field.name] for field in fields(Meta)))
        _check_types(meta)
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"{path}: record 'meta' cannot be understood ({error!r})") from error
    if meta.encoding != "raw" or meta.channels not in (1, 3):
        raise DataError(
            f"{path} holds {meta.encoding!r} images of {meta.channels} channels, "
            "not 'raw' ones of 1 or 3"
        )
    return meta


def _check_types(meta: Meta) -> None:
    """Raise ValueError, naming the field, where it is not of the type or the size it must be."""
    for name in ("count", "height", "width"):
        value = getattr(meta, name)
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} is {value!r}")
    if not isinstance(meta.classes, list) or not all(isinstance(c, str) for c in meta.classes):
        raise ValueError(f"classes is {meta.classes!r}")


def _parse_labels(record: bytes | None, meta: Meta, path: Path) -> np.ndarray:
    if record is None or len(record) != 8 * meta.count or not record:
        raise DataError(
            f"{path}: record 'labels' has {len(record or b'')} bytes, "
            f"not 8 for each of {meta.count} images"
        )
    labels = np.frombuffer(record, "<i8").astype(np.int64)
    for index in np.flatnonzero((labels < 0) | (labels >= len(meta.classes)))[:1]:
        raise DataError(
            f"{path}: labels[{index}] is {labels[index]}, "
            f"which does not fit {len(meta.classes)} classes, 0 to {len(meta.classes) - 1}"
        )
    return labels
