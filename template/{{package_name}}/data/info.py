"""What a run needs to know about its training data."""

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import DataError
from .reader import Reader

SAMPLES = 2048  # evenly spread, from which the mean and std are measured
CHUNK = 64


@dataclass(frozen=True)
class DatasetInfo:
    """Measured when a run starts, stored in its checkpoints, compared when it resumes."""

    classes: list[str]
    counts: list[int]  # training samples per class
    shape: tuple[int, ...]  # of an input: H, W, C
    dtype: str
    samples: int
    mean: list[float]  # per channel
    std: list[float]
    fingerprint: str


def compute_info(data: Any, counts: list[int]) -> DatasetInfo:
    """Measure the training data. Sums of integers are exact, so equal on every machine."""
    chosen = np.unique(np.linspace(0, len(data) - 1, min(SAMPLES, len(data))).astype(int))
    exact: Any = np.float64 if np.dtype(data.dtype).kind == "f" else np.int64
    total = squares = np.zeros(data.shape[-1], exact)
    digest = hashlib.sha256(repr((data.classes, data.shape, len(data))).encode())
    digest.update(np.ascontiguousarray(data.targets).tobytes())
    for start in range(0, len(chosen), CHUNK):
        inputs = data.read(chosen[start : start + CHUNK])
        digest.update(inputs.tobytes())
        values = inputs.astype(exact).reshape(-1, data.shape[-1])
        total, squares = total + values.sum(axis=0), squares + (values**2).sum(axis=0)
    count = len(chosen) * math.prod(data.shape[:-1])
    mean = total / count
    floor = 1.0 if exact is np.int64 else 1e-12  # a constant channel is not blown up
    std = np.sqrt(np.maximum(squares / count - mean**2, floor))
    kind = tuple(data.shape), str(np.dtype(data.dtype)), len(data)
    measured = mean.tolist(), std.tolist(), digest.hexdigest()
    return DatasetInfo(data.classes, counts, *kind, *measured)


def open_split(path: Path, like: Any) -> Reader:
    """Open a split like the training data, a reader or its info; raises DataError if it differs."""
    data = Reader(path, tuple(like.shape[:2]))
    if data.classes != like.classes:
        odd = sorted(set(data.classes) ^ set(like.classes))[:5] or "in another order"
        raise DataError(f"{path} has other classes than the training data: {odd}")
    found, needed = (f"{np.dtype(kind.dtype)} {tuple(kind.shape)}" for kind in (data, like))
    if found != needed:
        raise DataError(f"{path} has samples {found}, the training data has {needed}")
    return data
