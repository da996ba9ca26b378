"""An LMDB file of images: opened once per process, and what it says of itself checked."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..base.errors import PACKAGE, DataError


@dataclass(frozen=True)
class Meta:
    """What the record "meta" says."""

    classes: list[str]
    count: int
    height: int
    width: int
    channels: int
    encoding: str
    target_type: str = "<i8"  # of numpy
    target_shape: list[int] = field(default_factory=list)  # of each


def key_of(index: int) -> bytes:
    """The key of image `index`."""
    return b"%010d" % index


def place_of(path: Path, index: int) -> str:
    """The place of image `index`, for messages."""
    return f"{path}: record {key_of(index).decode()}"


class Records:
    """The images of a file that this process has opened, by their numbers."""

    def __init__(self, path: Path, count: int) -> None:
        self.path, self._environment = path, environment(path)
        # where each lies in the memory that the file is mapped to, in bytes behind the first of
        # those that were looked up; -1 until it is known
        self._places = np.full(count, -1)
        self._first = 0
        self._windows = np.empty((0, 0), np.uint8)

    def copy(self, indices: np.ndarray) -> list[bytes]:
        """The records of these images."""
        with self._named(), self._environment.begin() as transaction:
            return [self._get(transaction, index) for index in indices.tolist()]

    def gather(self, indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Records of `shape` as one array (B, *shape) uint8.

        To look a record up by its key takes longer than to copy a small one. So it is done once
        for each: from then on a batch is copied in one go from where its records are known to lie.
        """
        unknown = indices[self._places[indices] < 0]
        if len(unknown):
            with self._named(), self._environment.begin(buffers=True) as transaction:
                for index in unknown.tolist():
                    self._find(index, self._get(transaction, index), shape)
        return self._windows[self._places[indices]].reshape(-1, *shape)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Raises DataError where the file can no longer be read, as where it has grown."""
        try:
            yield
        except lmdb.Error as error:
            raise DataError(
                f"{self.path} cannot be read any more: {error}; does another program write to it?"
            ) from error

    def _find(self, index: int, record: memoryview, shape: tuple[int, ...]) -> None:
        """Note where a record lies."""
        if len(record) != math.prod(shape):
            wanted = " x ".join(map(str, shape))
            raise DataError(f"{place_of(self.path, index)} has {len(record)} bytes, not {wanted}")
        pixels = np.frombuffer(record, np.uint8)
        address = pixels.__array_interface__["data"][0]
        if not self._windows.size or address < self._first:
            self._places[self._places >= 0] += self._first - address
            self._first = address
            # the bytes behind each byte, from this record on: a view without a copy, of which only
            # those rows are read that begin with a record; a row as one item of numpy's would keep
            # the interpreter from the training while a batch is copied
            rows = self.path.stat().st_size
            self._windows = as_strided(pixels, (rows, len(record)), (1, 1), writeable=False)
        self._places[index] = address - self._first

    def _get(self, transaction: lmdb.Transaction, index: int) -> Any:
        record = transaction.get(key_of(index))
        if record is None:
            raise DataError(f"{place_of(self.path, index)} is missing")
        return record


# by process and file: LMDB allows a process to open a file once, and none to use another's
_environments: dict[tuple[int, int, int], lmdb.Environment] = {}


def environment(path: Path) -> lmdb.Environment:
    """The one environment of this file in this process."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise DataError(
            f"{path} not found: run `python -m {PACKAGE}.prepare --demo`, "
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


def parse_meta(record: bytes | None, path: Path) -> Meta:
    """Read the record "meta"; raises DataError where it is not as it should be."""
    if record is None:
        raise DataError(f"{path} has no record 'meta': it is not in the layout of storage.py")
    try:
        found = json.loads(record)
        meta = Meta(**{f.name: found[f.name] for f in fields(Meta) if f.name in found})
        _check_types(meta)
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"{path}: record 'meta' cannot be understood ({error!r})") from error
    if (meta.encoding, meta.channels) not in (("raw", 1), ("raw", 3), ("encoded", 3)):
        raise DataError(
            f"{path} holds {meta.encoding!r} images of {meta.channels} channels, "
            "not 'raw' ones of 1 or 3 or 'encoded' of 3"
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
    np.dtype(meta.target_type)
    if not all(isinstance(size, int) and size > 0 for size in meta.target_shape):
        raise ValueError(f"target_shape is {meta.target_shape!r}")


def parse_labels(record: bytes | None, meta: Meta, path: Path) -> np.ndarray:
    """Read the record "labels", (N, ...); raises DataError where it is not of the right size."""
    kind = np.dtype(meta.target_type)
    each = kind.itemsize * math.prod(meta.target_shape)
    if not record or len(record) != each * meta.count:
        raise DataError(
            f"{path}: record 'labels' has {len(record or b'')} bytes, "
            f"not {each} for each of {meta.count} images"
        )
    return np.frombuffer(record, kind).reshape(meta.count, *meta.target_shape)
