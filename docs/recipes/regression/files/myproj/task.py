"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is regression: targets (B, values) float32 are numbers in units of their own; outputs
(B, values) float32 are these numbers less the mean of the training data, in standard deviations.
"""

from typing import Any

import numpy as np
import torch
from torch import nn

from .base.errors import DataError
from .base.seeds import Stream, mix, permutation
from .config import Config
from .data.info import DatasetInfo

Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape


class Task(nn.Module):
    """Regression: each sample has one or several numbers."""

    best = "mae"  # the metric that `best.pt` follows
    higher_is_better = False
    mean: torch.Tensor  # (values,), of the training data
    std: torch.Tensor

    def __init__(self, config: Config, info: DatasetInfo) -> None:
        """Take the info of the data: `classes` name the numbers; `counts` is of check_targets."""
        super().__init__()
        self.names: list[str] = info.classes
        mean, std = torch.tensor(info.counts, dtype=torch.float32).view(2, -1)
        # a checkpoint has them once, in its dataset info
        self.register_buffer("mean", mean, persistent=False)
        self.register_buffer("std", std, persistent=False)

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (): of each the mean of its values' squared errors."""
        wanted = (targets - self.mean) / self.std
        return (outputs - wanted).square().mean(dim=1).sum()

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """What the metrics need besides the loss, as sums over the samples, (values,) each."""
        wanted = (targets - self.mean) / self.std
        errors = outputs - wanted
        return {
            "absolute": (errors * self.std).abs().sum(dim=0),
            "squared": errors.square().sum(dim=0),
            "wanted": wanted.sum(dim=0),
            "wanted_squared": wanted.square().sum(dim=0),
        }

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """Means over the values: the absolute error, in their units, and R², 1 at best."""
        spread = sums["wanted_squared"] - sums["wanted"].square() / samples
        return {
            "mae": sums["absolute"].mean().item() / samples,
            "r2": 1 - (sums["squared"] / spread.clamp(min=1e-9)).mean().item(),
        }

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: the numbers (B, values), in their units."""
        return outputs.float() * self.std + self.mean

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample."""
        rows = activated.tolist()
        return [{"values": dict(zip(self.names, row, strict=True))} for row in rows]

    def format_prediction(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample."""
        return ", ".join(f"{name} {value:.4g}" for name, value in prediction["values"].items())


def check_targets(train: Any, val: Any) -> list[Any]:
    """The means of the values, then their standard deviations, over the training data.

    Raises DataError where what the readers have cannot be learned.
    """
    for data in (train, val):
        shape = (len(data), len(train.classes))
        if data.targets.shape != shape:
            raise DataError("the targets are not a number for each value: run prepare")
    mean, std = train.targets.mean(axis=0, dtype=float), train.targets.std(axis=0, dtype=float)
    spread = np.ptp(train.targets, axis=0)
    if not spread.all():
        name = train.classes[int(spread.argmin())]
        raise DataError(f"all training images have the same {name!r}: there is nothing to learn")
    return [*mean.tolist(), *std.tolist()]


def sample_order(config: Config, data: Any, epoch: int) -> np.ndarray:
    """The samples of an epoch, batch by batch: each once, shuffled."""
    return permutation(mix(config.seed, Stream.SHUFFLE, epoch), len(data))
