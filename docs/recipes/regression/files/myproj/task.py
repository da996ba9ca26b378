"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is regression: targets (B, columns) float32 are real numbers in the user's units. Outputs
(B, columns) float32 count the deviations of the training data from its mean.
"""

import re
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .base.errors import DataError, FlagError
from .base.facts import Facts
from .config import Config

Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape

ROUNDING = 1e-6  # relative, of sums in float32


class Task(nn.Module):
    """Regression: each sample has a real number for each column."""

    best = "r2"  # the metric that `best.pt` follows
    higher_is_better = True

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, config: Config, facts: Facts) -> None:
        """Take the settings, and the facts of the data: `classes` names the columns; `targets`."""
        super().__init__()
        if config.class_weights or config.label_smoothing:
            raise FlagError("--class-weights and --label-smoothing need classes, not real numbers")
        self.columns: list[str] = facts.classes
        self.huber = config.loss == "huber"
        # known from the data, so a checkpoint has them once, among its facts
        self.register_buffer("mean", torch.tensor(facts.targets["mean"]), persistent=False)
        self.register_buffer("std", torch.tensor(facts.targets["std"]), persistent=False)

    def normalized(self, targets: torch.Tensor) -> torch.Tensor:
        """Targets in the units of the outputs."""
        return (targets - self.mean) / self.std

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (): of each the mean over its columns.

        Huber's is linear beyond one deviation.
        """
        function = F.huber_loss if self.huber else F.mse_loss
        return function(outputs, self.normalized(targets), reduction="none").mean(dim=1).sum()

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """What the metrics need besides the loss, as sums over the samples, (columns,) each.

        The zero of the outputs' units is the training mean, so the mean of the truth is near zero,
        and its variance no small difference of large numbers.
        """
        truth = self.normalized(targets)
        error = outputs - truth
        return {
            "distance": error.abs().sum(dim=0),
            "error_square": error.square().sum(dim=0),
            "truth": truth.sum(dim=0),
            "truth_square": truth.square().sum(dim=0),
        }

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """The metrics besides the loss, from the sums over all samples, in float64.

        The mean absolute error has the unit of its column. The coefficient of determination has
        none, so `r2` may be the mean over the columns.
        """
        errors = (sums["distance"] / samples * self.std.cpu()).tolist()
        variance = sums["truth_square"] - sums["truth"].square() / samples
        r2 = determination(sums["error_square"], variance, ROUNDING * sums["truth_square"])
        if len(self.columns) == 1:
            return {"mae": errors[0], "r2": r2.item()}
        names = metric_names(self.columns)
        found = {f"mae_{name}": value for name, value in zip(names, errors, strict=True)}
        found |= {f"r2_{name}": value for name, value in zip(names, r2.tolist(), strict=True)}
        return found | {"r2": r2.mean().item()}

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: numbers in the user's units (B, columns)."""
        return outputs * self.std + self.mean

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample."""
        rows = activated.tolist()
        return [{"values": dict(zip(self.columns, row, strict=True))} for row in rows]

    def in_words(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample: each number before its unit."""
        parts = []
        for column, value in prediction["values"].items():
            name, bracket, unit = column.removesuffix("]").partition(" [")
            parts.append(f"{name} {value:.5g} {unit}" if bracket else f"{column} {value:.5g}")
        return ", ".join(parts)


def determination(
    errors: torch.Tensor, variance: torch.Tensor, rounding: torch.Tensor
) -> torch.Tensor:
    """One less the share of the truth's sum of squares that is left as error, (columns,).

    Where the truth does not vary it is 1 without an error, else 0, as scikit-learn has it.
    """
    varies = variance > rounding
    shares = errors / torch.where(varies, variance, 1.0)
    return torch.where(varies, 1 - shares, (errors == 0).to(errors.dtype))


def metric_names(columns: list[str]) -> list[str]:
    """The columns' names as parts of a metric's name, which trackers limit to letters and digits.

    Their numbers, from 1, where nothing is left of a name, or the same of two.
    """
    names = [re.sub(r"\W+", "_", column).strip("_") for column in columns]
    if "" in names or len(set(names)) < len(names):
        return [str(number) for number in range(1, len(columns) + 1)]
    return names


def target_facts(reader: Any) -> dict[str, Any]:
    """The mean and deviation of each column: kept with the facts of the data."""
    targets = reader.targets.astype(np.float64)
    std = targets.std(axis=0)
    # of a part of the data, perhaps, in which a column does not vary
    return {"mean": targets.mean(axis=0).tolist(), "std": np.where(std > 0, std, 1.0).tolist()}


def check_data(train: Any, val: Any) -> None:
    """Raise DataError where what the readers have cannot be learned or measured."""
    if train.targets.ndim != 2:
        raise DataError("each image has a class here, not numbers: --shards reads classes alone")
    ranges = np.ptp(train.targets, axis=0)
    if not ranges.all():
        name = train.classes[int(ranges.argmin())]
        raise DataError(f"{name!r} is the same number for each image to train on")
    if val.classes != train.classes:
        odd = sorted(set(val.classes) ^ set(train.classes))
        raise DataError(
            "the validation and the training data have different columns "
            f"({', '.join(odd[:5]) or 'in another order'}); prepare both from one source"
        )
