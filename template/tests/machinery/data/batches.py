"""Whole epochs of batches, to be compared."""

import numpy as np
import torch
from toy.data.loader import Batch, BatchDataset, TrainSampler, batches, close, make_loader
from toys import CPU


def order(epoch: int) -> np.ndarray:
    return np.roll(np.arange(48), 5 * epoch)


def epochs(dataset: BatchDataset, workers: int, count: int = 2) -> list[Batch]:
    """The batches of these epochs, copied."""
    sampler, found = TrainSampler(len(dataset.data), 8, order), []
    loader = make_loader(dataset, sampler, workers=workers, device=CPU)
    try:
        for epoch in range(count):
            sampler.set_position(epoch, 0)
            found += [Batch(*(t.clone() for t in batch)) for batch in batches(loader, CPU)]
    finally:
        close(loader)
    return found


def same(ones: list[Batch], others: list[Batch]) -> bool:
    """Whether these are the same batches, to the bit and in type."""
    for batches_of in zip(ones, others, strict=True):
        for a, b in zip(*batches_of, strict=True):
            if a.dtype != b.dtype or not torch.equal(a, b):
                return False
    return True
