"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is classification: targets (B,) int64 are class numbers, or (B, classes) float32 the share
of each class; outputs (B, classes) float32 are scores before any softmax.

Another loss or a further metric is an edit of this file alone: it then appears on the terminal, in
`metrics.jsonl`, in `evaluate --json` and wherever else a run reports.
"""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .base.errors import DataError
from .base.facts import Facts
from .config import Config

Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape


class Task(nn.Module):
    """Classification: each sample is of one class."""

    best = "accuracy"  # the metric that `best.pt` follows
    higher_is_better = True

    def __init__(self, config: Config, facts: Facts) -> None:
        """Take the settings, and the facts of the data: `classes`, `targets`."""
        super().__init__()
        self.classes: list[str] = facts.classes
        self.label_smoothing = config.label_smoothing
        self.criterion = None  # another loss than plain cross-entropy
        if config.loss != "cross-entropy" or config.class_weights:
            from .toolbox.losses import Criterion

            self.criterion = Criterion(config.loss, config.focal_gamma, config.class_weights, facts)

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (), by default cross-entropies; smoothed in training."""
        smoothing = self.label_smoothing if self.training else 0.0
        if self.criterion:
            return self.criterion(outputs, targets, smoothing)
        return F.cross_entropy(outputs, targets, reduction="sum", label_smoothing=smoothing)

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """What the metrics need besides the loss, as sums over the samples."""
        targets = targets if targets.ndim == 1 else targets.argmax(dim=1)  # the largest share
        return {"correct": (outputs.argmax(dim=1) == targets).sum()}

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """The metrics besides the loss, from the sums over all samples, in float64."""
        return {"accuracy": sums["correct"].item() / samples}

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: probabilities (B, classes)."""
        return self.criterion.activate(outputs) if self.criterion else outputs.softmax(dim=1)

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample."""
        probabilities, classes = activated.max(dim=1)
        pairs = zip(classes.tolist(), probabilities.tolist(), strict=True)
        return [{"class": self.classes[number], "probability": p} for number, p in pairs]

    def in_words(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample."""
        return f"{prediction['class']} ({prediction['probability']:.1%})"


def target_facts(reader: Any) -> dict[str, Any]:
    """What a task has to know of the training targets: kept with the facts of the data."""
    return {"counts": np.bincount(reader.targets, minlength=len(reader.classes)).tolist()}


def check_data(train: Any, val: Any) -> None:
    """Raise DataError where what the readers have cannot be learned or measured."""
    counts = np.bincount(train.targets, minlength=len(train.classes))
    if not counts.all():
        name = train.classes[int(counts.argmin())]
        raise DataError(f"the training data has no sample of class {name!r} to train on")
    if val.classes != train.classes:
        odd = sorted(set(val.classes) ^ set(train.classes))
        raise DataError(
            "the validation and the training data name different classes "
            f"({', '.join(odd[:5]) or 'in another order'}); prepare both from one source"
        )
