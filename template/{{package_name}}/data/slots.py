"""Batches from data workers, in slots of shared memory that are used again and again.

Left to itself PyTorch allocates such memory anew for every tensor and hands it over through a
socket of the worker's, which takes longer than to decode the images.
"""

import ctypes
import math
import multiprocessing
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

from ..base.errors import DataError
from .dataset import Bad, Batch, BatchDataset, Loaded
from .samplers import Request

PREFETCH = 2, 8  # batches that a worker may have ready before they are asked for: at least, at most
READY = 8 << 20  # bytes of inputs in these, unless two batches are more
LENT = 2  # batches that may be used where they lie: the one that a loop still has, and its next


class Asked(NamedTuple):
    """What a worker is to read, and the slot for the inputs."""

    request: Request
    slot: int


class Sent(NamedTuple):
    """A batch without its inputs, which lie in a slot."""

    slot: int
    targets: np.ndarray
    indices: np.ndarray
    changes: np.ndarray | None
    bad: tuple[Bad, ...]


class Sender(Dataset[Sent | DataError]):
    """A data set for workers, who put the inputs of a batch into the slot that they are told."""

    def __init__(self, dataset: BatchDataset, workers: int, batch_size: int) -> None:
        """Make room for batches of up to `batch_size` samples."""
        self.dataset = dataset
        shape = max(1, batch_size), *dataset.reader.shape
        # where batches are small, a read that takes long now and then is bridged by more of them
        least, most = PREFETCH
        self.dtype = np.dtype(dataset.reader.dtype)
        size = math.prod(shape) * self.dtype.itemsize
        self.prefetch = min(max(least, READY // size), most)
        self.slots = workers * self.prefetch + LENT + 1  # the last for what is just being taken
        self._shape = self.slots, *shape
        # in a temporary file where a container has too little shared memory
        self._memory = multiprocessing.RawArray(ctypes.c_uint8, self.slots * size)

    def __getitem__(self, asked: Asked) -> Sent | DataError:
        """The requested batch, or what is wrong with it."""
        loaded = self.dataset[asked.request]
        if isinstance(loaded, DataError):
            return loaded
        (inputs, targets, indices), changes, bad = loaded
        found, slot = inputs.numpy(), self.slot(asked.slot, len(inputs))
        if found.dtype != slot.dtype or found.shape != slot.shape:  # numpy would make it fit
            raise TypeError(
                f"the reader says that a batch is {slot.dtype} {slot.shape}, "
                f"but has read {found.dtype} {found.shape}"
            )
        slot[...] = found
        drawn = None if changes is None else changes.numpy()
        return Sent(asked.slot, targets.numpy(), indices.numpy(), drawn, bad)

    def slot(self, number: int, count: int) -> np.ndarray:
        """The memory of a slot for `count` inputs, (count, ...) of the reader's type."""
        memory = np.frombuffer(memoryview(self._memory), self.dtype)
        return memory.reshape(self._shape)[number, :count]


class Slots(Sampler[Asked]):
    """What to ask of the workers: each request with a slot that nothing else uses."""

    def __init__(self, sender: Sender, requests: Sampler[Request]) -> None:
        self._sender, self._requests = sender, requests
        self._asked: set[int] = set()  # from the request until the batch is taken
        self._lent: dict[int, weakref.ref[np.ndarray]] = {}

    def __iter__(self) -> Iterator[Asked]:
        self._asked.clear()  # the workers have done with an epoch that was left
        for request in self._requests:
            used = self._asked | self._in_use()
            slot = next(number for number in range(self._sender.slots) if number not in used)
            self._asked.add(slot)
            yield Asked(request, slot)

    def take(self, sent: Sent, device: torch.device) -> Loaded:
        """A batch that a worker has sent, ready to go to the device.

        On a CPU its inputs stay where they are until nothing refers to them; they are copied where
        more batches are kept than a loop needs.
        """
        slot = self._sender.slot(sent.slot, len(sent.targets))
        inputs = torch.from_numpy(slot)
        if device.type == "cuda":
            inputs = inputs.pin_memory()
        elif device.type == "cpu" and len(self._in_use()) < LENT:
            self._lent[sent.slot] = weakref.ref(slot)  # which the tensor keeps alive
        else:
            inputs = inputs.clone()
        self._asked.remove(sent.slot)
        batch = Batch(inputs, torch.from_numpy(sent.targets), torch.from_numpy(sent.indices))
        changes = None if sent.changes is None else torch.from_numpy(sent.changes)
        return Loaded(batch, changes, sent.bad)

    def _in_use(self) -> set[int]:
        """The slots of lent batches that something still refers to."""
        self._lent = {slot: batch for slot, batch in self._lent.items() if batch() is not None}
        return set(self._lent)


def unchanged(sent: Any) -> Any:
    """Collate nothing: PyTorch would make tensors of the arrays, and shared memory of these."""
    return sent
