"""The one place that builds a model, for training, evaluation and whatever else needs one."""

import torch
from torch import nn

from ..base.facts import Facts
from ..config import Config
from ..model import build_model, initialize


def build(config: Config, facts: Facts, device: torch.device, *, fresh: bool) -> nn.Module:
    """The model on its device; `fresh` gives it the weights of a new run, from torch's seed."""
    model = build_model(config, facts)
    if fresh:
        initialize(model, config)
    if config.fp8 and device.type == "cuda":
        from ..toolbox.fp8 import convert

        model = convert(model)
    # images come as (B, H, W, C), which is this layout; converting each batch would cost more
    return model.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
