"""A toy optimizer: two groups, the head's at half the rate; the rate falls with every step."""

from typing import Any

import torch
from torch import nn

PEAK = 0.02


def build_optimizer(config: Any, model: nn.Module) -> torch.optim.Optimizer:
    head = [pair for pair in model.named_parameters() if ".head." in pair[0]]
    rest = [pair for pair in model.named_parameters() if ".head." not in pair[0]]
    groups = [{"params": rest}, {"params": head, "lr": PEAK / 2}]
    return torch.optim.AdamW(groups, lr=PEAK, weight_decay=0.0)


def ema_decay(config: Any, step: int, steps_per_epoch: int) -> float:
    return config.ema_decay or 1.0


def learning_rate(config: Any, step: int, steps_per_epoch: int, peak: float) -> float:
    return peak * (1 - step / (config.total_steps(steps_per_epoch) + 1))
