"""Batches without the samples that cannot be read, for --skip-bad."""

import numpy as np
import torch

from ..base.errors import DataError
from .cache import Cache
from .dataset import Bad, Read
from .subset import Samples


class Skipping:
    """A reader like another one, but that a sample is left out of its batch if it cannot be read.

    To read it alone raises DataError as ever: `BatchDataset` leaves it out.
    """

    skip_bad = True

    def __init__(self, reader: Samples) -> None:
        self._reader = reader
        self.classes, self.targets = reader.classes, reader.targets
        self.shape, self.dtype, self.copies = reader.shape, reader.dtype, reader.copies

    def __len__(self) -> int:
        return len(self._reader)

    def where(self, index: int) -> str:
        """The place of sample `index`, for messages."""
        return self._reader.where(index)

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Inputs (B, ...) in the order of `indices`; raises DataError naming a place."""
        return self._reader.read(indices)


def read_each(reader: Samples | Cache, indices: np.ndarray) -> Read:
    """Read samples one by one: those that can be read, and why the others cannot."""
    kept, parts, targets, bad = list[int](), list[np.ndarray | torch.Tensor](), [], list[Bad]()
    for position, index in enumerate(indices.tolist()):
        one = indices[position : position + 1]
        try:
            found = reader.read(one), reader.targets[one]
        except DataError as error:
            bad.append((index, str(error)))
        else:
            kept.append(position)
            parts.append(found[0])
            targets.append(found[1])
    if not kept:
        nothing = np.empty((0, *reader.shape), reader.dtype)
        return Read(nothing, np.empty(0), np.array(kept, int), tuple(bad))
    inputs = torch.cat([torch.as_tensor(part) for part in parts])
    on_device = inputs.device.type != "cpu"
    together = inputs if on_device else inputs.numpy()
    return Read(together, np.concatenate(targets), np.array(kept), tuple(bad))
