"""What all stores share: what is asked of them, and how samples become a batch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from simplejpeg import decode_jpeg
from torch.utils.data import DataLoader

Files = Sequence[tuple[Path, int]]
Batches = Callable[[], Iterator[Any]]
"""Begins an epoch."""


@dataclass(frozen=True)
class Asked:
    """What batches are wanted."""

    folder: Path
    files: Files
    kind: str
    """jpeg, raw, or pillow: JPEG files, decoded by the library itself."""
    size: int
    batch: int
    workers: int

    @property
    def raw(self) -> bool:
        return self.kind == "raw"

    def loader(self, dataset: Any, **options: Any) -> Any:
        """PyTorch's own loader, as all but two of them use it."""
        keep = self.workers > 0
        return DataLoader(dataset, num_workers=self.workers, persistent_workers=keep, **options)


def to_array(asked: Asked, stored: Any) -> np.ndarray:
    """An image out of what was stored: (H, W, 3) uint8."""
    if isinstance(stored, torch.Tensor):
        return np.asarray(stored)
    if asked.kind == "jpeg":
        stored = decode_jpeg(stored)
    if asked.raw and not isinstance(stored, np.ndarray):
        return np.frombuffer(stored, np.uint8).reshape(asked.size, asked.size, 3)
    return np.asarray(stored)  # an array, or Pillow's image


def to_batch(asked: Asked, images: Sequence[Any], labels: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Decode what is left to decode, straight into the batch."""
    batch = np.empty((len(images), asked.size, asked.size, 3), np.uint8)
    for row, stored in zip(batch, images, strict=True):
        row[...] = to_array(asked, stored)
    return torch.from_numpy(batch), torch.as_tensor(np.asarray(labels))


def collate(asked: Asked, samples: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch of samples, which are (image, label) or have them by these names."""
    if isinstance(samples[0], dict):
        samples = [(sample["image"], sample["label"]) for sample in samples]
    images, labels = zip(*samples, strict=True)
    return to_batch(asked, images, labels)
