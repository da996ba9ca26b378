"""Samplers, the dataset and the loader: whole batches, in an order that the seed fixes."""

import atexit
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from ..base import distributed
from ..base.errors import DataError, FlagError
from ..base.seeds import Stream, mix, seed_everything
from ..base.signals import STOP
from .reader import Reader

Request = tuple[int, np.ndarray]  # the epoch, and the samples' indices (B,)
Augment = Callable[[np.ndarray, np.ndarray, np.ndarray, int], tuple[np.ndarray, np.ndarray]]


class Batch(NamedTuple):
    """Inputs (B, ...) as stored, targets (B, ...), and the samples' indices (B,)."""

    inputs: torch.Tensor
    targets: torch.Tensor
    indices: torch.Tensor


class TrainSampler(Sampler[Request]):
    """The batches of an epoch, in an order that (seed, epoch) fixes; each rank gets its slice.

    `batch_size` counts the samples of all ranks. What is left after the last whole batch waits
    for another epoch.
    """

    def __init__(self, samples: int, batch_size: int, order: Callable[[int], np.ndarray]) -> None:
        if samples < batch_size:
            raise DataError(f"{samples} training samples: give --batch-size {samples} or less")
        self.samples, self.batch_size, self.order = samples, batch_size, order
        self.epoch = self.first = 0

    def set_position(self, epoch: int, first: int) -> None:
        """Continue an epoch with batch `first`: a resume skips what it has seen."""
        self.epoch, self.first = epoch, first

    def __len__(self) -> int:
        return self.samples // self.batch_size

    def __iter__(self) -> Iterator[Request]:
        order = self.order(self.epoch)
        for batch in range(self.first, len(self)):
            indices = order[batch * self.batch_size : (batch + 1) * self.batch_size]
            yield self.epoch, distributed.shard(indices)


class EvalSampler(Sampler[Request]):
    """Every sample once over all ranks, in as many batches on each: `evaluate` skips the excess."""

    def __init__(self, samples: int, batch_size: int) -> None:
        self.indices, self.batch_size = distributed.shard(np.arange(samples)), batch_size
        self.most = -(-samples // distributed.WORLD_SIZE)  # samples of a rank

    def __len__(self) -> int:
        return -(-self.most // self.batch_size)

    def __iter__(self) -> Iterator[Request]:
        for start in range(0, self.most, self.batch_size):
            indices = self.indices[start : start + self.batch_size]
            yield 0, indices if len(indices) else np.arange(1)


class Subset:
    """`count` samples of a reader, evenly spread."""

    def __init__(self, data: Reader, count: int) -> None:
        self.data, self.classes, self.shape, self.dtype = data, data.classes, data.shape, data.dtype
        self.indices = np.arange(min(count, len(data))) * len(data) // min(count, len(data))
        self.targets = data.targets[self.indices]

    def __len__(self) -> int:
        return len(self.indices)

    def read(self, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        return self.data.read(self.indices[indices], fit)

    def where(self, index: int) -> str:
        return self.data.where(int(self.indices[index]))


class BatchDataset(Dataset[Batch]):
    """Reads a whole batch per item, optionally from memory, and augments it."""

    def __init__(self, data: Any, augment: Augment | None = None, *, cache: str = "none") -> None:
        self.data, self.augment = data, augment
        self.crop = getattr(augment, "fit", None)  # how an image is brought to its size
        if cache == "memory" and self.crop is not None:
            raise FlagError("--cache memory keeps resized images, which Augmentation.fit excludes")
        self.cached = data.read(np.arange(len(data))) if cache == "memory" else None

    def __getitem__(self, request: Request) -> Batch:
        """Read a batch."""
        epoch, indices = request
        crop, cached = self.crop and partial(self.crop, epoch=epoch), self.cached
        inputs = self.data.read(indices, crop) if cached is None else cached[indices]
        targets = self.data.targets[indices]
        if self.augment is not None:
            inputs, targets = self.augment(inputs, targets, indices, epoch)
        return Batch(*map(torch.from_numpy, map(np.ascontiguousarray, (inputs, targets, indices))))


def start_worker(worker: int, *, seed: int, parent: int) -> None:
    """Prepare a worker. The seeds are for your own code that draws from a global generator."""
    # the main process still needs this worker's batch: `close` ends it, or torch's own watchdog
    for number in STOP:
        signal.signal(number, signal.SIG_IGN)
    seed_everything(mix(seed, Stream.WORKER, worker))
    if os.getppid() != parent:  # it is gone already: the watchdog would wait for another process
        os._exit(1)


def make_loader(
    data: BatchDataset, sampler: Sampler[Request], workers: int, device: torch.device, seed: int = 0
) -> DataLoader[Any]:
    """A loader whose workers live as long as it does."""
    loader: DataLoader[Any] = DataLoader(
        data,
        sampler=sampler,
        batch_size=None,  # the sampler yields whole batches
        num_workers=0 if data.cached is not None else workers,
        persistent_workers=workers > 0 and data.cached is None,
        pin_memory=device.type == "cuda",
        worker_init_fn=partial(start_worker, seed=mix(seed, distributed.RANK), parent=os.getpid()),
        # a loader draws from a generator when it is iterated: not from the global one
        generator=torch.Generator().manual_seed(seed),
    )
    atexit.register(close, loader)  # also after an error: multiprocessing would wait for workers
    return loader


def batches(loader: DataLoader[Any], device: torch.device) -> Iterator[Batch]:
    """The batches on the device."""
    # a signal to all processes must not reach a worker before it ignores them
    if can_block := hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    items = iter(loader)
    if can_block:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)
    for item in items:
        inputs, targets = (part.to(device, non_blocking=True) for part in item[:2])
        yield Batch(inputs, targets, item.indices)


def close(loader: DataLoader[Any]) -> None:
    """End the workers, which ignore the SIGTERM that multiprocessing sends at exit."""
    if (iterator := getattr(loader, "_iterator", None)) is not None:
        with suppress(RuntimeError):  # of a worker that was killed, which is known already
            iterator._shutdown_workers()
