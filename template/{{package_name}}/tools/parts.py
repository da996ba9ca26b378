"""The parts of a training step, and how long each takes on the device.

They are told apart from outside: by a hook of the model, two of the optimizer, and the calls of the
task's loss and metrics, which stand between the forward pass, the backward pass and the update.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import nn

from ..task import Task

MEANING = {
    "data": "the wait for the next batch",
    "prepare": "learning rates, seeds, changes of the batch as a whole",
    "forward": "the model's outputs",
    "loss": "the loss of these outputs",
    "backward": "the gradients",
    "metrics": "what is measured of the outputs",
    "clip": "the norm of the gradient, clipping",
    "optimizer": "the update of the weights",
    "log": "counts, averages, the reading of losses",
}


class Mark(NamedTuple):
    """The moment at which a part begins, and so the one before it ends."""

    part: str
    on_host: int  # nanoseconds of time.time_ns
    on_device: Any  # seconds of time.perf_counter, or an event in the device's queue


class Parts:
    """Notes when parts begin. Each ends where the next one begins, so no time is lost between."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.marks: list[Mark] = []

    # not to be traced by --compile, which would call it once
    @torch.compiler.disable
    def begin(self, part: str) -> None:
        """Let the time from now on be that of `part`; what the device has to do before is not."""
        if self.device.type == "cpu":
            self.marks.append(Mark(part, time.time_ns(), time.perf_counter()))
            return
        event = torch.Event(self.device.type, enable_timing=True)
        event.record()
        self.marks.append(Mark(part, time.time_ns(), event))

    def seconds(self) -> dict[str, float]:
        """How long each part took in all, from the first mark to the last one."""
        synchronize(self.device)
        found = dict.fromkeys(MEANING, 0.0)
        for one, following in pairwise(self.marks):
            found[one.part] += between(one.on_device, following.on_device)
        return found


def synchronize(device: torch.device) -> None:
    """Wait until the device has done all that it was asked for."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def between(begin: Any, end: Any) -> float:
    """Seconds from one moment to another one."""
    return end - begin if isinstance(begin, float) else begin.elapsed_time(end) / 1000


@contextmanager
def watched(
    parts: Parts, model: nn.Module, task: Task, optimizer: torch.optim.Optimizer
) -> Iterator[None]:
    """Let the steps of a training say when their parts begin."""

    def begins(part: str) -> Callable[..., None]:
        return lambda *_: parts.begin(part)

    handles: Sequence[Any] = (
        model.register_forward_pre_hook(begins("forward")),
        optimizer.register_step_pre_hook(begins("optimizer")),
        optimizer.register_step_post_hook(begins("log")),
    )
    methods = (("loss", "loss", "backward"), ("sums", "metrics", "clip"))
    for name, during, after in methods:
        setattr(task, name, framed(getattr(task, name), parts, during, after))
    try:
        yield
    finally:
        for name, _, _ in methods:
            delattr(task, name)  # the class has it still
        for handle in handles:
            handle.remove()


def framed(function: Callable[..., Any], parts: Parts, during: str, after: str) -> Any:
    """The function, with a part that begins when it is called, and another when it returns."""

    def call(*arguments: Any) -> Any:
        parts.begin(during)
        result = function(*arguments)
        parts.begin(after)
        return result

    return call
