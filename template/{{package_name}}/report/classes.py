"""What a classifier predicts for each sample of the validation data, and what follows from it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from ..base import distributed
from ..base.errors import UserError
from ..data.loader import BatchDataset, Subset, batches, close, make_loader
from ..engine.trained import TrainedModel, open_data

BINS = 10  # of the confidence, for the calibration
SHOWN = 16  # worst mistakes


class Predicted(NamedTuple):
    """One value per sample, each (N,)."""

    targets: np.ndarray  # the class that it is of
    classes: np.ndarray  # the class with the highest probability
    confidence: np.ndarray  # that probability


def open_samples(trained: TrainedModel, data_dir: Path | None, split: str) -> Subset:
    """The samples of a split that the run used."""
    data = open_data(trained, data_dir, split)
    return Subset(data, trained.config.max_samples or len(data))


def predict(trained: TrainedModel, data: Subset, stopped: Callable[[], bool]) -> Predicted | None:
    """Predict every sample; None if the task is no classification of whole samples.

    Raises UserError when `stopped` becomes true.
    """
    config, device = trained.config, trained.device
    size = max(1, config.batch_size // config.accumulate // distributed.WORLD_SIZE)
    # all samples in this process, which may be one of several: EvalSampler gives it a share
    requests: Any = [(0, np.arange(i, min(i + size, len(data)))) for i in range(0, len(data), size)]
    loader = make_loader(BatchDataset(data), requests, workers=config.num_workers, device=device)
    parts = []
    try:
        for batch in batches(loader, device):
            if stopped():
                raise UserError("stopped by a signal")
            outputs, targets = trained.predict(batch.inputs), batch.targets
            if not is_classification(outputs, targets, len(trained.info.classes)):
                return None
            confidence, classes = outputs.max(dim=1)
            parts.append((targets, classes, confidence))
    finally:
        close(loader)
    return Predicted(*(torch.cat(part).cpu().numpy() for part in zip(*parts, strict=True)))


def is_classification(outputs: Any, targets: torch.Tensor, count: int) -> bool:
    """Whether the targets (B,) are class numbers and the outputs (B, classes) probabilities."""
    if not isinstance(outputs, torch.Tensor) or outputs.shape != (len(targets), count):
        return False
    whole = targets.ndim == 1 and not targets.is_floating_point()
    return whole and bool(((targets >= 0) & (targets < count)).all())


def confusion(found: Predicted, count: int) -> np.ndarray:
    """Samples (classes, classes): a row for each true class, a column for each predicted one."""
    pairs = found.targets.astype(np.int64) * count + found.classes
    return np.bincount(pairs, minlength=count**2).reshape(count, count)


def per_class(matrix: np.ndarray, names: list[str]) -> list[dict[str, Any]]:
    """Precision, recall and F1 of each class; None where there is nothing to divide by."""
    right, true, predicted = matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0)
    return [
        {
            "class": name,
            "samples": int(true[i]),
            "precision": right[i] / predicted[i] if predicted[i] else None,
            "recall": right[i] / true[i] if true[i] else None,
            "f1": 2 * right[i] / (true[i] + predicted[i]) if true[i] + predicted[i] else None,
        }
        for i, name in enumerate(names)
    ]


def calibration(found: Predicted) -> tuple[float, np.ndarray]:
    """The expected calibration error, and the bins (BINS, 3): samples, confidence, accuracy.

    The error is the mean distance between confidence and accuracy, weighted by samples (Guo et
    al., On Calibration of Modern Neural Networks, 2017).
    """
    # a bin holds its upper bound, as in the paper
    bins = np.clip(np.ceil(found.confidence * BINS).astype(int) - 1, 0, BINS - 1)
    right = found.targets == found.classes
    samples, sure, accurate = (
        np.bincount(bins, weights, BINS) for weights in (None, found.confidence, right)
    )
    error = np.abs(sure - accurate).sum() / len(bins)
    divisor = np.maximum(samples, 1)
    return float(error), np.stack([samples, sure / divisor, accurate / divisor], axis=1)


def worst(found: Predicted) -> np.ndarray:
    """The indices of the most confident wrong predictions, at most SHOWN."""
    wrong = np.flatnonzero(found.targets != found.classes)
    return wrong[np.argsort(-found.confidence[wrong], kind="stable")[:SHOWN]]
