"""Stochastic weight averaging (Izmailov et al.: Averaging Weights Leads to Wider Optima, 2018)."""

from collections.abc import Callable

import torch
from torch import nn

BatchNorm = nn.modules.batchnorm._BatchNorm


@torch.no_grad()
def include(average: nn.Module, model: nn.Module, count: int) -> None:
    """Make `average` the mean of `count` models, this one being the last of them.

    Buffers are the model's own: `renew` measures the statistics of batch norms.
    """
    for mean, parameter in zip(average.parameters(), model.parameters(), strict=True):
        mean.lerp_(parameter, 1.0 / count)
    for kept, buffer in zip(average.buffers(), model.buffers(), strict=True):
        kept.copy_(buffer)


@torch.no_grad()
def renew(model: nn.Module, run: Callable[[], None]) -> list[nn.Module]:
    """Measure the statistics of batch norms anew, while `run` sends training data through.

    Those of the steps are of other weights than the average's. All else is in evaluation mode, and
    norms that are frozen keep theirs. Returns the norms.
    """
    norms = [
        part
        for part in model.modules()
        if isinstance(part, BatchNorm) and part.training and part.track_running_stats
    ]
    if not norms:
        return []
    modes = {part: part.training for part in model.modules()}
    momenta = {norm: norm.momentum for norm in norms}
    model.eval()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean over all batches
        norm.train()
    run()
    for norm, momentum in momenta.items():
        norm.momentum = momentum
    for part, mode in modes.items():
        part.training = mode
    return list(norms)
