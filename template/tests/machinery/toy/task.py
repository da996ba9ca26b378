"""A toy task: two numbers to tell, measured by their mean distance, of which less is better."""

from typing import Any

import numpy as np
import torch
from torch import nn

from .base.seeds import Stream, mix, permutation

Sums = dict[str, torch.Tensor]


class Task(nn.Module):
    """Targets (B, 2) float32. The loss has a parameter of its own: an offset for each number.

    In training, a thousandth of the outputs' squares is added to the loss.
    """

    best = "distance"
    higher_is_better = False

    def __init__(self, config: Any, info: Any) -> None:
        super().__init__()
        self.offset = nn.Parameter(torch.zeros(2))

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        loss = (outputs + self.offset - targets).square().sum()
        return loss + 1e-3 * outputs.square().sum() if self.training else loss

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        distances = (outputs + self.offset - targets).abs()
        each = distances.sum(dim=0)
        return {"distance": distances.sum(), "each": each, "all_distances": distances.sum(dim=1)}

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        assert len(sums["all_distances"]) == samples
        return {
            "distance": sums["distance"].item() / (2 * samples),
            "worst": sums["each"].max().item() / samples,  # of the two numbers
            "median": sums["all_distances"].median().item(),
        }

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        return outputs.float() + self.offset

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        return [{"numbers": numbers} for numbers in activated.tolist()]

    def format_prediction(self, prediction: dict[str, Any]) -> str:
        return " and ".join(f"{number:.3f}" for number in prediction["numbers"])


def check_targets(train: Any, val: Any) -> list[int]:
    return [len(train), len(train)]


def sample_order(config: Any, data: Any, epoch: int) -> np.ndarray:
    return permutation(mix(config.seed, Stream.SHUFFLE, epoch), len(data))
