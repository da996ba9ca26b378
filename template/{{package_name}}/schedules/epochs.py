"""What training does at the end of each epoch: average, and lower the rate."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ..base import distributed
from ..data.loader import batches
from ..engine.metrics import eval_mode
from ..engine.trainer import Trainer, autocast

BatchNorm = nn.modules.batchnorm._BatchNorm


@torch.no_grad()
def update_norms(trainer: Trainer, stopped: Callable[[], bool]) -> None:
    """Measure the statistics of the average's batch norms on the epoch's training batches.

    Those of the steps belong to other weights (Izmailov et al., Averaging Weights Leads to Wider
    Optima, 2018). Frozen norms keep theirs. Call it before the evaluation of an epoch.
    """
    first, progress, average = trainer.config.swa_from, trainer.progress, trainer.ema
    if first is None or average is None or progress.epoch + 1 < first:
        return
    norms = [
        norm
        for norm, own in zip(average.modules(), trainer.module.modules(), strict=True)
        if isinstance(norm, BatchNorm) and own.training and norm.track_running_stats
    ]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    with eval_mode(average):
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the mean over all batches
            norm.train()
        trainer.sampler.set_position(progress.epoch, 0)
        for batch in batches(trainer.train_loader, trainer.device):
            if stopped():  # a resume starts over
                break
            with autocast(trainer.config, trainer.device):
                average(batch.inputs, batch.targets)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
        buffers: Any = norm.running_mean, norm.running_var
        for buffer in buffers:
            ranks = distributed.all_gather(buffer.cpu())
            buffer.copy_(torch.stack(ranks).mean(dim=0))


def lower_rate(trainer: Trainer) -> None:
    """Lower the learning rate on a plateau. Call it after each epoch."""
    config, progress = trainer.config, trainer.progress
    if config.schedule != "plateau":
        return
    groups = trainer.optimizer.param_groups  # a checkpoint keeps what they hold
    last = max(progress.best_epoch, groups[0].get("lowered_at", 0))
    if progress.epoch - last >= config.plateau_epochs:
        for group in groups:
            group["initial_lr"] *= config.lr_factor
            group["lowered_at"] = progress.epoch
