"""Batches of samples, as a sampler requests them: inputs, targets, and their random changes."""

from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch.utils.data import Dataset

from ..base.errors import DataError
from .cache import Cache
from .samplers import Request
from .subset import Samples, skips_bad

Bad = tuple[int, str]  # the number of a sample that cannot be read, and why


class Batch(NamedTuple):
    """Inputs (B, ...) and targets (B, ...) as the reader has them; their numbers (B,) int64."""

    inputs: torch.Tensor
    targets: torch.Tensor
    indices: torch.Tensor


class Loaded(NamedTuple):
    """A batch as it comes from a loader, and the changes (B, K) still to be made on the device."""

    batch: Batch
    changes: torch.Tensor | None
    bad: tuple[Bad, ...] = ()  # what --skip-bad has left out of it


class Read(NamedTuple):
    """What a reader has of the samples that were asked for."""

    inputs: np.ndarray | torch.Tensor  # (B, ...)
    targets: np.ndarray  # (B, ...)
    kept: np.ndarray | None = None  # (B,) int64: their positions, where others are left out
    bad: tuple[Bad, ...] = ()  # these others


class RandomChanges(Protocol):
    """Random changes to the inputs of training: what each gets is a function of its number."""

    def draw(self, indices: np.ndarray, epoch: int, shape: tuple[int, ...]) -> np.ndarray:
        """What changes in inputs of this shape, (B, K) int64.

        A sample that comes again in an epoch has a number beyond the data's, for other changes.
        """

    def apply(
        self, inputs: np.ndarray, targets: np.ndarray, changes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What becomes of inputs and targets, on a CPU: both may be changed in place.

        Inputs keep their shape and type; targets may get others.
        """

    def apply_on_device(
        self, inputs: torch.Tensor, targets: torch.Tensor, changes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What `apply` makes of inputs and targets, by an accelerator."""


class BatchDataset(Dataset[Loaded | DataError]):
    """Reads whole batches: its items are requested by a `Request`, not by one index."""

    def __init__(
        self,
        reader: Samples | Cache,
        augmentation: RandomChanges | None = None,
        *,
        on_device: bool = False,
    ) -> None:
        """With `on_device` the changes are only drawn here, and made by `batches`."""
        self.reader, self.augmentation, self.on_device = reader, augmentation, on_device
        self.is_on_device = isinstance(reader, Cache) and reader.inputs.device.type != "cpu"

    def __getitem__(self, request: Request) -> Loaded | DataError:
        """The requested batch, or what is wrong with it: raising would lose the message's form."""
        return self.complete(request, self.read(request.indices))

    def read(self, indices: np.ndarray) -> Read | DataError:
        """Inputs and targets as they are stored: all that takes long, and draws no number."""
        try:
            return read_some(self.reader, indices)
        except DataError as error:
            return error

    def complete(self, request: Request, read: Read | DataError) -> Loaded | DataError:
        """The requested batch, once it has been read."""
        if isinstance(read, DataError):
            return read
        (inputs, targets, kept, bad), (epoch, indices, draws) = read, request
        numbers, changes = indices if draws is None else draws, None
        if kept is not None:
            indices, numbers = indices[kept], numbers[kept]
        if self.augmentation is not None and len(indices):
            changes = self.augmentation.draw(numbers, epoch, self.reader.shape)
            if isinstance(inputs, np.ndarray) and not self.on_device:
                inputs, targets = self.augmentation.apply(inputs, targets, changes)
                changes = None
        batch = Batch(torch.as_tensor(inputs), torch.as_tensor(targets), torch.from_numpy(indices))
        return Loaded(batch, None if changes is None else torch.from_numpy(changes), bad)


def read_some(reader: Samples | Cache, indices: np.ndarray) -> Read:
    """What a reader has of these samples; raises DataError, with --skip-bad never."""
    try:
        return Read(reader.read(indices), reader.targets[indices])
    except DataError:
        if not skips_bad(reader):
            raise
    from .skipping import read_each

    return read_each(reader, indices)


def first_samples(reader: Samples, count: int) -> Read:
    """The first `count` samples, or all that there are; of those that are left out, the next ones.

    Raises DataError where one cannot be read, or with --skip-bad none.
    """
    reason = ""
    for start in range(0, len(reader), count):
        read = read_some(reader, np.arange(start, min(start + count, len(reader))))
        if len(read.inputs):
            return read
        reason = read.bad[0][1]
    raise DataError(f"no sample can be read; the last reason is {reason}")
