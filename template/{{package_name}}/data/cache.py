"""Inputs kept where training wants them: read and decoded once, not in every epoch."""

import math
from collections.abc import Iterable

import numpy as np
import torch

from ..base.errors import DataError, FlagError
from .subset import Samples, skips_bad

Three = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # what a `Batch` is


class Cache:
    """All inputs of a reader in memory, or on the device; it reads like the reader itself."""

    copies = True

    def __init__(self, reader: Samples, device: torch.device) -> None:
        """Make room for the inputs."""
        self.reader, self.shape, self.dtype = reader, reader.shape, reader.dtype
        self.targets, self.skip_bad = reader.targets, skips_bad(reader)
        self.bad: dict[int, str] = {}  # samples that could not be read, and why
        kind = torch.from_numpy(np.empty(0, reader.dtype)).dtype
        self.inputs = torch.empty((len(reader), *reader.shape), dtype=kind, device=device)

    def fill(self, batches: Iterable[Three]) -> None:
        """Take inputs (B, ...), and targets that are on the disk, to the places of their numbers.

        What it does not get cannot be read later: `bad` must say why.
        """
        read = None
        for inputs, targets, indices in batches:
            self.inputs.index_copy_(0, indices.to(self.inputs.device), inputs)
            if not isinstance(self.targets, np.ndarray):
                found = targets.cpu().numpy()
                if read is None:
                    read = np.empty((len(self.reader), *found.shape[1:]), found.dtype)
                read[indices.numpy()] = found
        if read is not None:
            self.targets = read

    def where(self, index: int) -> str:
        """The place of sample `index`, for messages."""
        return self.reader.where(index)

    def read(self, indices: np.ndarray) -> np.ndarray | torch.Tensor:
        """Inputs (B, ...) in the order of `indices`: a tensor where it is on a device."""
        for index in indices.tolist() if self.bad else ():
            if index in self.bad:
                raise DataError(self.bad[index])
        if self.inputs.device.type == "cpu":
            return self.inputs.numpy().take(indices, axis=0)  # much faster than torch does it
        chosen = torch.from_numpy(indices).to(self.inputs.device, non_blocking=True)
        return self.inputs.index_select(0, chosen)


def size_of(reader: Samples) -> int:
    """How many bytes all inputs take in memory, and targets that are on the disk."""
    size = math.prod(reader.shape) * np.dtype(reader.dtype).itemsize
    if not isinstance(reader.targets, np.ndarray):
        size += reader.targets[np.array([0])].nbytes
    return len(reader) * size


def check_room(readers: list[Samples], device: torch.device) -> None:
    """Raise FlagError where the inputs of all these readers do not fit."""
    needed = sum(map(size_of, readers))
    free = free_bytes(device)
    if needed > free:
        shape = " x ".join(map(str, readers[0].shape))
        raise FlagError(
            f"--cache: {sum(map(len, readers)):,} samples of {shape} values "
            f"take {needed / 1e6:,.1f} MB, but {free / 1e6:,.1f} MB are free on {device}; "
            "leave the flag out, or take smaller inputs"
        )


def free_bytes(device: torch.device) -> float:
    """How much memory can be had; infinite where that cannot be told."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    if device.type != "cpu":
        return math.inf
    try:
        with open("/proc/meminfo") as file:  # Linux
            facts = dict(line.split(":") for line in file)
        return int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return math.inf
