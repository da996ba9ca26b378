"""Batches from data workers, in shared memory that is used again for each of them.

Left to itself PyTorch allocates such memory anew for every tensor and hands it over through a
socket of the worker's, which takes longer than to decode the images.
"""

import ctypes
import math
import multiprocessing
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info

from .data import Batch, ImageDataset, Loaded
from .errors import DataError
from .samplers import Request

PREFETCH = 2  # batches that a worker may have ready before they are asked for


class Sent(NamedTuple):
    """A batch without its images, which lie in a slot."""

    slot: tuple[int, int]  # whose, and which of its own
    labels: np.ndarray
    indices: np.ndarray
    moves: np.ndarray | None


class Ring(Dataset[Sent | DataError]):
    """A data set for workers: each puts the images of its batches into its own slots, in turn.

    These are one more than it may be ahead, so none is written to while a batch is taken from it.
    """

    def __init__(self, dataset: ImageDataset, workers: int, batch_size: int) -> None:
        """Make room for batches of up to `batch_size` images."""
        self.dataset = dataset
        self._shape = workers, PREFETCH + 1, max(1, batch_size), *dataset.reader.shape
        # in a temporary file where a container has too little shared memory
        self._memory = multiprocessing.RawArray(ctypes.c_uint8, math.prod(self._shape))
        self._turn = 0

    def __getitem__(self, request: Request) -> Sent | DataError:
        """The requested batch, or what is wrong with it."""
        loaded = self.dataset[request]
        if isinstance(loaded, DataError):
            return loaded
        (images, labels, indices), moves = loaded
        worker = get_worker_info()
        assert worker is not None, "only data workers have slots"
        self._turn = (self._turn + 1) % (PREFETCH + 1)
        place = worker.id, self._turn
        slot = self._slot(place)[: len(images)]
        if images.dtype != torch.uint8 or images.shape != slot.shape:  # numpy would make it fit
            raise TypeError(
                f"workers send images as uint8 {self._shape[2:]}, "
                f"not {images.dtype} {tuple(images.shape)}"
            )
        slot[...] = images
        return Sent(
            place, labels.numpy(), indices.numpy(), None if moves is None else moves.numpy()
        )

    def take(self, sent: Sent, device: torch.device) -> Loaded:
        """A batch that a worker has sent: its images copied, ready to go to the device."""
        slot = torch.from_numpy(self._slot(sent.slot)[: len(sent.labels)])
        images = slot.pin_memory() if device.type == "cuda" else slot.clone()
        batch = Batch(images, torch.from_numpy(sent.labels), torch.from_numpy(sent.indices))
        return Loaded(batch, None if sent.moves is None else torch.from_numpy(sent.moves))

    def _slot(self, place: tuple[int, int]) -> np.ndarray:
        """A slot's memory, (B, H, W, C) uint8."""
        return np.frombuffer(memoryview(self._memory), np.uint8).reshape(self._shape)[place]


def as_it_is(sent: Any) -> Any:
    """For PyTorch, which would make tensors of the arrays, and shared memory of these."""
    return sent
