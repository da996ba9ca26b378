"""A toy task: two numbers to tell, measured by their mean distance, of which less is better."""

from typing import Any

import torch
from torch import nn

from .base.facts import Facts
from .config import Config

Sums = dict[str, torch.Tensor]


class Task(nn.Module):
    """Targets (B, 2) float32; training adds a thousandth of the outputs' squares to the loss."""

    best = "distance"
    higher_is_better = False

    def __init__(self, config: Config, facts: Facts) -> None:
        super().__init__()

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        loss = (outputs - targets).square().sum()
        return loss + 1e-3 * outputs.square().sum() if self.training else loss

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        distances = (outputs - targets).abs()
        return {"distance": distances.sum(), "each": distances.sum(dim=0)}  # () and (2,)

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        return {
            "distance": sums["distance"].item() / (2 * samples),
            "worst": sums["each"].max().item() / samples,
        }

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        return 2 * outputs

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        return [{"numbers": numbers} for numbers in activated.tolist()]

    def in_words(self, prediction: dict[str, Any]) -> str:
        return " and ".join(f"{number:.3f}" for number in prediction["numbers"])


def target_facts(reader: Any) -> dict[str, Any]:
    return {"mean": reader.targets.mean().item()}


def check_data(train: Any, val: Any) -> None:
    pass
