"""One library in a process of its own, for rivals.py: shows what it loads, then how fast.

python benchmarks/serving.py STORE KIND SCRATCH SIZE WORKERS
"""

import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from drawn import BATCH, files_of
from simplejpeg import decode_jpeg
from stores import STORES
from stores.common import Asked


def digest(images: np.ndarray, labels: np.ndarray) -> int:
    """A number that only these images with these labels give, in whatever order they come."""
    total = 0
    for image, label in zip(images, labels.tolist(), strict=True):
        key = hashlib.blake2b(image.tobytes() + bytes([label]), digest_size=16)
        total += int.from_bytes(key.digest())
    return total % 2**128


def digest_of(scratch: Path, size: int, read: Callable[[Path], np.ndarray]) -> int:
    """The digest of the drawn images, as `read` decodes them."""
    files = files_of(scratch / f"images{size}")
    images = [read(file) for file, _ in files]
    return digest(np.stack(images), np.array([label for _, label in files]))


def approximation(file: Path) -> np.ndarray:
    """The pixels by the transform that some libraries choose, which is less exact."""
    pixels: np.ndarray = decode_jpeg(file.read_bytes(), fastdct=True)
    return pixels


def asked_of(name: str, kind: str, scratch: Path, size: int, workers: int) -> Asked:
    files = files_of(scratch / f"images{size}")
    np.random.default_rng(3).shuffle(files)
    return Asked(scratch / f"{name}-{kind}-{size}", files, kind, size, BATCH[size], workers)


def serve(asked: Asked, name: str) -> None:
    """In a process of its own: say the digest of an epoch; then, for each line read, the speed."""
    torch.set_num_threads(1)
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        if not asked.folder.exists():
            STORES[name].write(asked)
        epoch = STORES[name].open(asked)
        total = count = 0
        for images, labels in epoch():
            assert images.shape == (asked.batch, asked.size, asked.size, 3), images.shape
            assert images.dtype == torch.uint8, images.dtype
            total += digest(images.numpy(), labels.numpy().reshape(-1))
            count += len(images)
        print(json.dumps([total % 2**128, count]), file=answers, flush=True)
        stream = forever(epoch)
        for _ in sys.stdin:
            print(json.dumps(pace(stream, asked)), file=answers, flush=True)


def forever(epoch: Any) -> Iterator[float]:
    """Batch after batch, epoch after epoch: how long each first batch took, else 0."""
    while True:
        began = time.perf_counter()
        for number, _ in enumerate(epoch()):
            yield 0.0 if number else time.perf_counter() - began


def pace(stream: Iterator[float], asked: Asked) -> tuple[float, list[float]]:
    """Images per second over a second, and the starts of epochs, in seconds."""
    warm = time.perf_counter() + 0.3  # what the one before left in the caches is not its fault
    for number in count():
        if number >= 2 * asked.workers + 4 and time.perf_counter() > warm:
            break  # nor is what was prepared while others had their turn its merit
        next(stream)
    began, done, starts = time.perf_counter(), 0, []
    while time.perf_counter() - began < 1:
        if start := next(stream):
            starts.append(start)
        done += asked.batch
    return done / (time.perf_counter() - began), starts


if __name__ == "__main__":
    store, kind, where, size, workers = sys.argv[1:]
    serve(asked_of(store, kind, Path(where), int(size), int(workers)), store)
