"""The model: the mean of embedded bytes, a hidden layer, a linear classifier."""

import torch
from torch import nn

from .base.facts import Facts
from .config import Config


class Bytes(nn.Module):
    """Texts (B, L) int64 to class scores (B, classes)."""

    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(257, width)
        self.hidden = nn.Linear(width, width)
        self.head = nn.Linear(width, classes)

    def forward(self, texts: torch.Tensor) -> torch.Tensor:
        x = self.embedding(texts).mean(dim=1)  # (B, width)
        return self.head(torch.relu(self.hidden(x)))


def build_model(config: Config, facts: Facts) -> nn.Module:
    """Build the model."""
    return Bytes(len(facts.classes), config.width)


def initialize(model: nn.Module, config: Config) -> None:
    """Give a new run its weights."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
