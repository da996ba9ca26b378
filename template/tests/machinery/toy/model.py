"""A toy model with all that a run has to keep: batch norm, dropout, a bias."""

from typing import Any

import torch
from torch import nn


class Toy(nn.Module):
    """Inputs (B, 6) int16 to outputs (B, 2) float32."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(6, 8, bias=False)
        self.norm = nn.BatchNorm1d(8)
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(8, 2)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        x = self.first(inputs.to(self.first.weight.dtype) / 100)  # (B, 8)
        return self.head(self.dropout(torch.relu(self.norm(x))))  # (B, 2)


def build_model(config: Any, info: Any) -> nn.Module:
    return Toy()


def initialize(model: nn.Module, config: Any) -> None:
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.5)
