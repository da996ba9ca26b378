"""The two splits of the data, and the facts about them."""

import hashlib
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from ..base.facts import Facts
from ..base.values import Plain
from .dataset import Bad, read_some
from .storage import Reader, split_path
from .subset import Samples


def place_of(data_dir: Path, split: str, *, shards: bool) -> Path:
    """Where a split, "train" or "val", lies: in the format of the project, or in tar files."""
    return data_dir / f"{split}-*.tar" if shards else split_path(data_dir, split)


def open_split(
    data_dir: Path, split: str, size: tuple[int, ...] | None, *, shards: bool = False
) -> Samples:
    """Open a split; inputs get `size` where given, as images height and width."""
    place = place_of(data_dir, split, shards=shards)
    if shards:
        from .shards import Shards

        return Shards(place, size)
    return Reader(place, size)


def open_splits(
    data_dir: Path, size: tuple[int, ...] | None, *, shards: bool = False
) -> tuple[Samples, Samples]:
    """Open the training and the validation data; both get `size`, or else the training data's."""
    train = open_split(data_dir, "train", size, shards=shards)
    val = open_split(data_dir, "val", train.shape[:2], shards=shards)
    if (val.shape, val.dtype) != (train.shape, train.dtype):
        raise DataError(
            f"{place_of(data_dir, 'val', shards=shards)} holds {val.dtype} {val.shape}, "
            f"{place_of(data_dir, 'train', shards=shards)} {train.dtype} {train.shape}; "
            "prepare both from one source"
        )
    return train, val


def gather_facts(
    reader: Samples,
    of_targets: Callable[[Samples], Plain],
    samples: int = 2048,
    chunk: int = 64,
) -> Facts:
    """Measure the training data on up to `samples` inputs, evenly spread over it.

    The sums of whole numbers are exact, and equal on every machine. What --skip-bad leaves out is
    not among them.
    """
    chosen = np.unique(np.linspace(0, len(reader) - 1, min(samples, len(reader))).astype(int))
    exact: type[np.generic] = np.int64
    floor = 1.0
    if np.dtype(reader.dtype).kind == "f":
        exact, floor = np.float64, 1e-12
    total = np.zeros(reader.shape[-1], exact)
    squares = np.zeros_like(total)
    digest = hashlib.sha256(repr((reader.classes, reader.shape, len(reader))).encode())
    in_memory = isinstance(reader.targets, np.ndarray)
    if in_memory:
        digest.update(np.ascontiguousarray(reader.targets).tobytes())
    bad: list[Bad] = []
    for start in range(0, len(chosen), chunk):
        found = read_some(reader, chosen[start : start + chunk])
        inputs = np.asarray(found.inputs)  # (B, ..., C)
        bad += found.bad
        if not in_memory:
            digest.update(np.ascontiguousarray(found.targets).tobytes())
        digest.update(inputs.tobytes())
        values = inputs.astype(exact).reshape(-1, reader.shape[-1])
        total += values.sum(axis=0)
        squares += (values**2).sum(axis=0)
    if len(bad) == len(chosen):
        raise DataError(f"none of {len(chosen)} samples can be read, beginning with {bad[0][1]}")
    count = (len(chosen) - len(bad)) * math.prod(reader.shape[:-1])
    mean = total / count
    std = np.sqrt(np.maximum(squares / count - mean**2, floor))  # a blank channel is not blown up
    return Facts(
        reader.classes,
        reader.shape,
        str(np.dtype(reader.dtype)),
        len(reader),
        mean.tolist(),
        std.tolist(),
        digest.hexdigest(),
        of_targets(reader),
    )
