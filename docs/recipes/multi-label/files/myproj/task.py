"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is which labels an image has: targets (B, labels) float32 are 1 where it has the label, and
0 where it has not; outputs (B, labels) float32 are scores before any sigmoid.
"""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .base.errors import DataError
from .base.seeds import Stream, mix, permutation
from .config import Config
from .data.info import DatasetInfo

Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape


class Task(nn.Module):
    """Multi-label classification: each sample has any number of labels."""

    best = "mean_average_precision"  # the metric that `best.pt` follows
    higher_is_better = True

    def __init__(self, config: Config, info: DatasetInfo) -> None:
        """Take the settings, and the info of the data: `classes` are the labels."""
        super().__init__()
        self.classes: list[str] = info.classes
        self.label_smoothing = config.label_smoothing

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (): of each the mean of its labels' cross-entropies."""
        smoothing = self.label_smoothing if self.training else 0.0
        wanted = targets * (1 - smoothing) + smoothing / 2
        losses = F.binary_cross_entropy_with_logits(outputs, wanted, reduction="none")
        return losses.mean(dim=1).sum()

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """What the metrics need besides the loss; all scores, since they are to be ordered."""
        there, found = targets > 0.5, outputs > 0  # (B, labels); mixed images have shares
        return {
            "both": (there & found).sum(dim=0),
            "either": there.sum(dim=0) + found.sum(dim=0),
            "all_scores": outputs.detach(),
            "all_there": there,
        }

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """Means over the labels, leaving out those that no sample has."""
        f1 = 2 * sums["both"] / sums["either"].clamp(min=1)
        there = sums["all_there"].bool()
        known = there.any(dim=0)
        pairs = zip(sums["all_scores"].T[known], there.T[known], strict=True)
        precisions = [average_precision(scores, labels) for scores, labels in pairs]
        count = max(1, len(precisions))
        return {
            "f1": f1[known].sum().item() / count,
            "mean_average_precision": sum(precisions) / count,
        }

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: a probability of each label (B, labels)."""
        return outputs.float().sigmoid()

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample."""
        rows = [dict(zip(self.classes, row, strict=True)) for row in activated.tolist()]
        found = [[name for name, p in row.items() if p > 0.5] for row in rows]
        pairs = zip(found, rows, strict=True)
        return [{"labels": labels, "probabilities": row} for labels, row in pairs]

    def format_prediction(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample."""
        probabilities = prediction["probabilities"]
        found = [f"{name} ({probabilities[name]:.1%})" for name in prediction["labels"]]
        return ", ".join(found) or "no label"


def average_precision(scores: torch.Tensor, labels: torch.Tensor) -> float:
    """The mean of the precisions at each score (N,), weighted by what recall gains there.

    Samples of one score come together, so their order does not matter.
    """
    scores, order = scores.sort(descending=True)
    last = scores.diff(append=scores.new_full((1,), -torch.inf)) != 0  # of one score
    found = labels[order].cumsum(0)[last].double()
    precision = found / (last.nonzero()[:, 0] + 1)
    gain = found.diff(prepend=found.new_zeros(1)) / found[-1]
    return (precision * gain).sum().item()


def check_targets(train: Any, val: Any) -> list[int]:
    """Count the labels. Raise DataError where what the readers have cannot be learned."""
    for data in (train, val):
        shape = (len(data), len(train.classes))
        if data.targets.shape != shape:
            raise DataError("the targets are not a number for each label: run prepare")
        if not np.isin(data.targets, (0, 1)).all():
            raise DataError("a label is neither 0 nor 1: see labels.csv")
    counts = train.targets.sum(axis=0).astype(int)
    if not counts.all():
        name = train.classes[int(counts.argmin())]
        raise DataError(f"the training data has no image with the label {name!r} to train on")
    return counts.tolist()


def sample_order(config: Config, data: Any, epoch: int) -> np.ndarray:
    """The samples of an epoch, batch by batch: each once, shuffled."""
    return permutation(mix(config.seed, Stream.SHUFFLE, epoch), len(data))
