"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is which labels an image has: targets (B, labels) float32 are 1 where it has the label, or
its share where images were mixed; outputs (B, labels) float32 are scores before a sigmoid.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .base.errors import DataError, FlagError
from .base.facts import Facts
from .config import Config

Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape

BINS, LIMIT = 1000, 10.0  # scores from -LIMIT to LIMIT, told apart in this many steps


class Task(nn.Module):
    """Multi-label classification: each sample has any number of labels."""

    best = "mean_average_precision"  # the metric that `best.pt` follows
    higher_is_better = True

    def __init__(self, config: Config, facts: Facts) -> None:
        """Take the settings, and the facts of the data: `classes`."""
        super().__init__()
        self.classes: list[str] = facts.classes
        self.label_smoothing = config.label_smoothing
        if config.loss not in ("cross-entropy", "binary") or config.class_weights:
            raise FlagError("labels are learned by --loss binary alone, without --class-weights")

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (): of each the mean of its labels' cross-entropies."""
        smoothing = self.label_smoothing if self.training else 0.0
        wanted = (targets * (1 - smoothing) + smoothing / 2).to(outputs.dtype)
        losses = F.binary_cross_entropy_with_logits(outputs, wanted, reduction="none")
        return losses.mean(dim=1).sum()

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """What the metrics need besides the loss, as sums over the samples."""
        there, found = targets > 0.5, outputs > 0  # (B, labels)
        steps = ((outputs + LIMIT) * (BINS / (2 * LIMIT))).clamp(0, BINS - 1).long()
        labels = torch.arange(len(self.classes), device=outputs.device)
        # a place for each label, for samples with it and without it, and for each step
        places = (labels * 2 + there.long()) * BINS + steps
        counts = torch.zeros(len(self.classes) * 2 * BINS, dtype=torch.int64, device=outputs.device)
        ones = torch.ones_like(places.flatten())
        return {
            "both": (there & found).sum(dim=0),  # (labels,)
            "either": (there.long() + found.long()).sum(dim=0),
            "scores": counts.scatter_add(0, places.flatten(), ones).view(-1, 2, BINS),
        }

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """The metrics besides the loss, from the sums over all samples, in float64.

        The F1 score of a label that neither is there nor was found is 0. The mean of the average
        precisions leaves out labels that no sample has.
        """
        f1 = 2 * sums["both"] / sums["either"].clamp(min=1)
        precisions = average_precision(sums["scores"])
        there = sums["scores"][:, 1].sum(dim=1) > 0
        mean = precisions[there].mean().item() if there.any() else 0.0
        return {"macro_f1": f1.mean().item(), "mean_average_precision": mean}

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: a probability of each label (B, labels)."""
        return outputs.sigmoid()

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample."""
        rows = [dict(zip(self.classes, row, strict=True)) for row in activated.tolist()]
        return [
            {"labels": [name for name, p in row.items() if p > 0.5], "probabilities": row}
            for row in rows
        ]

    def in_words(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample."""
        probabilities = prediction["probabilities"]
        found = [f"{name} ({probabilities[name]:.1%})" for name in prediction["labels"]]
        return ", ".join(found) or "no label"


def average_precision(scores: torch.Tensor) -> torch.Tensor:
    """The average precision of each label, (labels,), from counts (labels, 2, BINS).

    The mean of the precisions at each step of the score, weighted by what recall gains there, as
    scikit-learn defines it. Samples within a step count as equal, so the result is that of scores
    rounded to 1/50; in return it is a matter of sums, and the same for any number of processes.
    """
    without, with_label = (
        scores.flip(2).cumsum(dim=2).unbind(dim=1)
    )  # above each step: (labels, BINS)
    precision = with_label / (with_label + without).clamp(min=1)
    gain = with_label.diff(dim=1, prepend=torch.zeros_like(with_label[:, :1]))
    return (precision * gain).sum(dim=1) / with_label[:, -1].clamp(min=1)


def target_facts(reader: Any) -> dict[str, Any]:
    """What a task has to know of the training targets: kept with the facts of the data."""
    return {"counts": reader.targets.sum(axis=0).tolist()}


def check_data(train: Any, val: Any) -> None:
    """Raise DataError where what the readers have cannot be learned or measured."""
    if train.targets.ndim != 2:
        raise DataError("each image has a class here, not labels: --shards reads classes alone")
    there = train.targets.any(axis=0)
    if not there.all():
        name = train.classes[int(there.argmin())]
        raise DataError(f"the training data has no image with the label {name!r} to train on")
    if val.classes != train.classes:
        odd = sorted(set(val.classes) ^ set(train.classes))
        raise DataError(
            "the validation and the training data name different labels "
            f"({', '.join(odd[:5]) or 'in another order'}); prepare both from one source"
        )
