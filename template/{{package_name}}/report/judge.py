"""What a trained classifier says of every sample of a split."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from ..data.loader import Loader, batches
from ..engine.trained import Trained


class Judged(NamedTuple):
    """One value per sample, each (N,), in the order of the samples' numbers."""

    samples: np.ndarray  # their numbers in the split
    targets: np.ndarray  # the class that each is of
    predicted: np.ndarray  # the class with the highest probability
    confidence: np.ndarray  # that probability


def judge(
    trained: Trained, loader: Loader, device: torch.device, stopped: Callable[[], bool]
) -> Judged | None:
    """Classify every sample; when `stopped` turns true the rest of them is left out.

    None where that makes no sense, as targets are not class numbers or outputs not one per class,
    and where there is no sample.
    """
    classes = len(trained.facts.classes)
    parts = []
    for inputs, targets, samples in batches(loader, device):
        if stopped():
            break
        probabilities = trained.answer(inputs)
        fits = targets.ndim == 1 and probabilities.shape == (len(targets), classes)
        if not fits or targets.is_floating_point() or not in_range(targets, classes):
            return None
        confidence, predicted = probabilities.max(dim=1)
        parts.append((samples, targets, predicted, confidence))
    if not parts:
        return None
    # one wait for the device at the end, instead of one per batch
    return Judged(*(torch.cat(column).cpu().numpy() for column in zip(*parts, strict=True)))


def in_range(targets: torch.Tensor, classes: int) -> bool:
    """Whether all targets are numbers of classes."""
    return bool(((targets >= 0) & (targets < classes)).all())
