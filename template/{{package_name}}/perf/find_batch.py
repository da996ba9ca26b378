"""Find the largest batch that fits: real steps of growing batches, their memory and speed."""

import math
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from ..base import cli, distributed
from ..base.cli import require
from ..base.errors import FlagError, UserError
from ..config import Config
from ..data.loader import Batch, BatchDataset
from .step import FixedTrainer, synchronize

STEPS = 3  # of each size; the first one makes the optimizer's state
ROOM = 0.9  # share of the free memory to use
NEARLY = 0.9  # share of the best speed that is as good


@dataclass(frozen=True)
class BatchConfig(Config):
    """Try batches of 8, 16, 32, ... samples. Takes the flags of train, too."""

    largest: int = 4096
    """Samples to try at most."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "largest", self.largest >= 8, "at least 8")


def free_bytes(device: torch.device) -> int:
    """The memory that is free on the device, or in this machine."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    if device.type == "cpu" and sys.platform == "linux":
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    raise UserError(f"find_batch cannot measure the memory of {device.type} on {sys.platform}")


def peak_bytes(device: torch.device) -> int:
    """The most bytes that were in use so far: on the device, or by this process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_reserved(device)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def batch_of(trainer: FixedTrainer, size: int) -> Batch:
    """The first `size` training samples, some of them twice if there are fewer."""
    count = min(size, len(trainer.train_data))
    first = BatchDataset(trainer.train_data)[0, np.arange(count)]
    if not isinstance(first, Batch):
        raise first
    rows = torch.arange(size) % count
    inputs, targets = (part[rows].to(trainer.device) for part in (first.inputs, first.targets))
    return Batch(inputs, targets, rows)


def measure(trainer: FixedTrainer, size: int) -> float:
    """Do some steps of one batch size; returns samples per second, by the fastest step."""
    batch, fastest = batch_of(trainer, size), math.inf
    for _ in range(STEPS):
        began = time.perf_counter()
        trainer.step(batch)
        synchronize(trainer.device)
        fastest = min(fastest, time.perf_counter() - began)
    return size / fastest


def search(trainer: FixedTrainer, limit: float, largest: int) -> Iterator[tuple[int, int, float]]:
    """Try growing batches, as long as they fit: their size, bytes, and samples per second."""
    before, size = peak_bytes(trainer.device), 8
    while size <= largest:
        try:
            speed = measure(trainer, size)
        except torch.OutOfMemoryError:
            return
        if (memory := peak_bytes(trainer.device) - before) > limit:
            return
        yield size, memory, speed
        size *= 2


def main() -> None:
    """Search, and print the result."""
    config = cli.parse(BatchConfig)
    if distributed.WORLD_SIZE > 1:
        raise FlagError("find_batch measures one process: run it without torchrun")
    with distributed.process_group(config.device) as device:
        limit = ROOM * free_bytes(device)
        trainer = FixedTrainer(replace(config, batch_size=8, accumulate=1), device)
        try:
            tried = list(search(trainer, limit, config.largest))
        finally:
            trainer.close()
    if not tried:
        raise UserError(f"not even 8 samples fit into {limit / 1e6:,.0f} MB")
    print(f"{'samples':>8} {'memory':>12} {'speed':>16}")
    for size, memory, speed in tried:
        print(f"{size:>8,} {memory / 1e6:>9,.1f} MB {speed:>6,.0f} samples/s")
    best = max(speed for _, _, speed in tried)
    enough = next(size for size, _, speed in tried if speed >= NEARLY * best)
    print(f"largest that fits: --batch-size {tried[-1][0]}")
    if enough < tried[-1][0]:
        print(f"as fast within {1 - NEARLY:.0%}: --batch-size {enough}")
