"""Learning rates, and weights of an average: pure functions of the step."""

import math

from ..config import Config

RISE = 0.3  # share of a run over which `onecycle` rises, as in torch's OneCycleLR
START, END = 1 / 25, 1 / 250_000  # what it rises from and falls to, as factors on the peak


def scheduled_rate(config: Config, step: int, steps_per_epoch: int, peak: float) -> float:
    """The learning rate of optimizer step `step`, from 0, as --schedule asks for it.

    `peak` is that of a parameter group; after an epoch without improvement `plateau` lowers it.
    """
    if config.swa_lr and config.swa_from and step >= (config.swa_from - 1) * steps_per_epoch:
        return config.swa_lr * peak / config.lr
    total_steps = config.total_steps(steps_per_epoch)
    warmup_steps = round(config.warmup_epochs * steps_per_epoch)
    if config.schedule == "onecycle":
        return peak * one_cycle(step, total_steps)
    if step < warmup_steps:
        return peak * (step + 1) / warmup_steps
    if config.schedule == "multistep":
        passed = sum(step >= share * total_steps for share in config.milestones)
        return peak * config.lr_factor**passed
    if config.schedule == "cosine":
        share = (step - warmup_steps) / max(1, total_steps - warmup_steps)
        return along_cosine(peak, 0.0, min(1.0, share))
    return peak


def one_cycle(step: int, total_steps: int) -> float:
    """Up to 1 and down to almost 0, both along a cosine (Smith, Topin: Super-Convergence, 2018)."""
    top = RISE * total_steps - 1  # the step of the peak
    if step <= top:
        return along_cosine(START, 1.0, step / top)
    return along_cosine(1.0, END, min(1.0, (step - top) / (total_steps - 1 - top)))


def along_cosine(first: float, last: float, share: float) -> float:
    """From `first` to `last` along half a cosine."""
    return last + (first - last) * 0.5 * (1.0 + math.cos(math.pi * share))


def average_decay(config: Config, step: int, steps_per_epoch: int) -> float:
    """How much of the average stays after step `step`, from 1; 1.0: it is left alone.

    With --swa-from the average is the mean of the weights at the ends of epochs, each of which
    counts as much as any other. Until the first of them it is a copy of the weights.
    """
    if config.swa_from is None:
        return config.ema_decay or 1.0
    if step % steps_per_epoch and step != config.total_steps(steps_per_epoch):
        return 1.0
    epoch = math.ceil(step / steps_per_epoch)
    return 1.0 - 1.0 / max(1, epoch - config.swa_from + 1)
