"""Learning rates beyond the cosine: each a function of the step, so there is nothing to save."""

import math

from .settings import Optimization

RISE = 0.3  # share of a run over which `onecycle` rises, as in torch's OneCycleLR
START, END = 1 / 25, 1 / 250_000  # what it rises from and falls to, as factors on the peak


def factor(settings: Optimization, step: int, warmup_steps: int, total_steps: int) -> float:
    """What the peak rate is multiplied by in optimizer step `step`, from 0.

    `plateau` is constant here: the engine lowers it, as the evaluations go.
    """
    if settings.schedule == "onecycle":
        return one_cycle(step, total_steps)
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    if settings.schedule == "multistep":
        passed = sum(step >= share * total_steps for share in settings.milestones)
        return settings.lr_factor**passed
    return 1.0


def one_cycle(step: int, total_steps: int) -> float:
    """Up to 1 and down to almost 0, both along a cosine (Smith, Topin: Super-Convergence, 2018).

    It has a rise of its own in place of --warmup-epochs; the momentum stays as it is.
    """
    top = RISE * total_steps - 1  # the step of the peak
    if step <= top:
        return between(START, 1.0, step / top)
    return between(1.0, END, min(1.0, (step - top) / (total_steps - 1 - top)))


def between(first: float, last: float, share: float) -> float:
    """From `first` to `last` along half a cosine."""
    return last + (first - last) * 0.5 * (1.0 + math.cos(math.pi * share))
