"""Samplers, the dataset and the loader: whole batches, in an order that the seed fixes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import Sampler

from ..base import distributed
from ..base.errors import DataError, FlagError
from .reader import Reader

CHUNK = 64  # samples that a thread reads at a time into the cache
Request = tuple[int, np.ndarray]  # the epoch, and the samples' indices (B,)


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


class BatchDataset:
    """Reads a whole batch per item, optionally from memory or the device, and augments it."""

    def __init__(self, data: Any, augment: Any = None, *, cache: str = "none") -> None:
        self.data, self.augment, self.cache = data, augment, cache
        self.crop = getattr(augment, "fit", None)  # how an image is brought to its size
        if cache != "none" and self.crop is not None:
            raise FlagError(
                f"--cache {cache} keeps resized images, which Augmentation.fit excludes"
            )
        self.cached: np.ndarray | torch.Tensor | None = None
        if cache != "none":
            self.cached = read_all(data)

    def __getitem__(self, request: Request) -> Batch:
        epoch, indices = request
        targets = self.data.targets[indices]
        if isinstance(self.cached, torch.Tensor):
            images = self.cached[torch.from_numpy(indices).to(self.cached.device)]
            if self.augment is not None:
                images = self.augment.on_device(images, indices, epoch)
            return Batch(images, torch.from_numpy(targets), torch.from_numpy(indices))
        if self.cached is not None:
            inputs = self.cached[indices]
        else:
            inputs = self.data.read(indices, self.crop and partial(self.crop, epoch=epoch))
        if self.augment is not None:
            inputs, targets = self.augment(inputs, targets, indices, epoch)
        arrays = inputs, targets, indices
        return Batch(*(torch.from_numpy(np.ascontiguousarray(a)) for a in arrays))


def read_all(data: Any) -> np.ndarray:
    """All samples (N, ...). Raises DataError."""
    samples = np.empty((len(data), *data.shape), data.dtype)

    def read(indices: np.ndarray) -> None:
        samples[indices] = data.read(indices)

    with ThreadPoolExecutor() as pool:
        list(pool.map(read, np.array_split(np.arange(len(data)), -(-len(data) // CHUNK))))
    return samples


class Loader:
    """The batches of a dataset in order, read ahead by threads.

    Decoders release Python's lock, and nothing is sent from process to process. Code that draws
    from a global generator is not reproducible here: use `base/seeds.py`.
    """

    def __init__(
        self, dataset: BatchDataset, sampler: Iterable[Request], threads: int, *, pin_memory: bool
    ) -> None:
        self.dataset, self.sampler, self.num_workers = dataset, sampler, threads
        self.pin_memory = pin_memory

    def _read(self, request: Request) -> Batch:
        batch = self.dataset[request]
        # copies from pinned memory do not wait for the GPU
        return Batch(*(t.pin_memory() for t in batch)) if self.pin_memory else batch

    def __iter__(self) -> Iterator[Batch]:
        requests = iter(self.sampler)
        if not self.num_workers:
            yield from map(self._read, requests)
            return
        pool = ThreadPoolExecutor(self.num_workers)
        try:
            first = islice(requests, 2 * self.num_workers)
            begun = deque([pool.submit(self._read, request) for request in first])
            while begun:
                batch = begun.popleft().result()
                begun.extend([pool.submit(self._read, request) for request in islice(requests, 1)])
                yield batch
        finally:  # also when the loop over the batches is left early
            pool.shutdown(cancel_futures=True)


def make_loader(
    dataset: BatchDataset,
    sampler: Iterable[Request],
    *,
    workers: int,
    device: torch.device,
    seed: int = 0,
) -> Loader:
    """A loader with so many threads; none where the samples are cached."""
    if dataset.cache == "device":
        dataset.cached = torch.as_tensor(dataset.cached).to(device)
    pin_memory = device.type == "cuda" and dataset.cache != "device"
    threads = 0 if dataset.cached is not None else workers
    return Loader(dataset, sampler, threads, pin_memory=pin_memory)


def batches(loader: Loader, device: torch.device) -> Iterator[Batch]:
    """The batches on the device."""
    for inputs, targets, indices in loader:
        yield Batch(
            inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True), indices
        )


def close(loader: Loader) -> None:
    """Nothing is left to end: threads end with the loop over the batches."""


def shift_and_flip(images: torch.Tensor, moves: np.ndarray, flips: np.ndarray) -> torch.Tensor:
    """Shift images (B, H, W, C) by moves (B, 2), down and right, then flip those of flips (B,).

    All at once, on their device: each pixel looks up the one that it comes from. What comes in at
    the edges is black.
    """
    count, height, width, _ = images.shape
    device = images.device
    down, right = torch.from_numpy(moves).to(device).unsqueeze(2).unbind(dim=1)  # (B, 1) each
    flipped = torch.from_numpy(flips).to(device)[:, None]
    rows = torch.arange(height, device=device) - down  # (B, H)
    columns = torch.arange(width, device=device).expand(count, width)
    columns = torch.where(flipped, columns.flip(1), columns) - right  # (B, W)
    found = images[
        torch.arange(count, device=device)[:, None, None],
        rows.clamp(0, height - 1)[:, :, None],
        columns.clamp(0, width - 1)[:, None],
    ]
    inside_rows = ((rows >= 0) & (rows < height))[:, :, None]
    inside_columns = ((columns >= 0) & (columns < width))[:, None]
    return found * (inside_rows & inside_columns)[..., None]  # (B, H, W, C)
