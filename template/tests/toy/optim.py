"""A toy optimizer: two groups, the head's at half the rate; the rate falls with every step."""

import torch
from torch import nn

from .config import Config

PEAK = 0.02


def build_optimizer(config: Config, model: nn.Module) -> torch.optim.Optimizer:
    named = list(model.named_parameters())
    groups = [
        {"params": [pair for pair in named if not pair[0].startswith("head")]},
        {"params": [pair for pair in named if pair[0].startswith("head")], "lr": PEAK / 2},
    ]
    return torch.optim.AdamW(groups, lr=PEAK, weight_decay=0.0)


def learning_rate(config: Config, step: int, steps_per_epoch: int, peak: float) -> float:
    return peak * (1 - step / (config.epochs * steps_per_epoch + 1))
