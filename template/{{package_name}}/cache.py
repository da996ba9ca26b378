"""Images kept where training wants them: read and decoded once, not in every epoch."""

import math
from collections.abc import Iterable

import numpy as np
import torch

from .errors import FlagError
from .storage import Reader


class Cache:
    """All images of a reader in memory, or on the device; it reads like the reader itself."""

    copies = True

    def __init__(self, reader: Reader, device: torch.device) -> None:
        """Make room for the images."""
        self.reader, self.labels, self.shape = reader, reader.labels, reader.shape
        self.images = torch.empty((len(reader), *reader.shape), dtype=torch.uint8, device=device)

    def fill(self, batches: Iterable[torch.Tensor]) -> None:
        """Take all images (B, H, W, C) uint8, in order."""
        first = 0
        for images in batches:
            self.images[first : first + len(images)] = images
            first += len(images)

    def read(self, indices: np.ndarray) -> np.ndarray | torch.Tensor:
        """Images (B, H, W, C) uint8 in the order of `indices`: a tensor where it is on a device."""
        if self.images.device.type == "cpu":
            return self.images.numpy().take(indices, axis=0)  # much faster than torch does it
        chosen = torch.from_numpy(indices).to(self.images.device, non_blocking=True)
        return self.images.index_select(0, chosen)


def check_room(readers: list[Reader], device: torch.device) -> None:
    """Raise FlagError where the images of all these readers do not fit."""
    needed = sum(len(reader) * math.prod(reader.shape) for reader in readers)
    free = free_bytes(device)
    if needed > free:
        height, width, _ = readers[0].shape
        raise FlagError(
            f"--cache: {sum(map(len, readers)):,} images of {height} x {width} pixels "
            f"take {needed / 1e6:,.1f} MB, but {free / 1e6:,.1f} MB are free on {device}; "
            "leave the flag out, or take a smaller --image-size"
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
