"""Where the time of a training step goes: real steps, timed part by part."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from ..base import cli, distributed
from ..base.cli import require
from ..base.seeds import set_deterministic
from ..config import Config
from ..data.loader import Batch
from ..engine.trainer import Trainer

WARMUP = 10  # steps before those that are timed
WAITS, LONG = 0.05, 0.2  # shares of a step from which on there is something to gain
PARTS = {
    "data": "wait for the next batch",
    "prepare": "learning rates, seeds",
    "forward": "outputs of the model",
    "loss": "loss and metrics",
    "backward": "gradients",
    "clip": "norm of the gradient, clipping",
    "optimizer": "update of the weights",
    "log": "sums, averages of weights",
}


@dataclass(frozen=True)
class StepConfig(Config):
    """Time the parts of training steps, and say what to change. Takes the flags of train, too."""

    steps: int = 40
    """Steps to time, after some that are not timed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "steps", self.steps >= 1, "at least 1")


class FixedTrainer(Trainer):
    """Does all of a training step, but leaves the weights as they are."""

    def lr(self, group: dict[str, Any]) -> float:
        return 0.0


class Timeline:
    """Notes when each part begins. Each ends where the next begins, so no time is lost."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.marks: list[tuple[str, Any]] = []  # with seconds, or an event in the device's queue

    @torch.compiler.disable
    def begin(self, part: str) -> None:
        """The time from now on is that of `part`; what the device still has to do is not."""
        if self.device.type == "cpu":
            self.marks.append((part, time.perf_counter()))
        else:
            event = torch.Event(self.device.type, enable_timing=True)
            event.record()
            self.marks.append((part, event))

    def seconds(self) -> dict[str, float]:
        """The time of each part, from the first mark to the last."""
        synchronize(self.device)
        found = dict.fromkeys(PARTS, 0.0)
        for (part, begin), (_, end) in pairwise(self.marks):
            on_cpu = isinstance(begin, float)
            found[part] += end - begin if on_cpu else begin.elapsed_time(end) / 1000
        return found


def synchronize(device: torch.device) -> None:
    """Wait until the device has done all that it was asked for."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


@contextmanager
def watching(trainer: Trainer, timeline: Timeline) -> Iterator[None]:
    """Let the steps of a trainer note when their parts begin."""

    def around(function: Callable[..., Any], before: str, after: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            timeline.begin(before)
            result = function(*arguments)
            timeline.begin(after)
            return result

        return call

    task, scaler = trainer.task, trainer.scaler
    handles: list[Any] = [
        trainer.model.register_forward_pre_hook(lambda *_: timeline.begin("forward")),
        trainer.optimizer.register_step_pre_hook(lambda *_: timeline.begin("optimizer")),
        trainer.optimizer.register_step_post_hook(lambda *_: timeline.begin("log")),
    ]
    replaced: list[Any] = [(task, "loss", "loss", "loss"), (task, "sums", "loss", "backward")]
    replaced += [(scaler, "unscale_", "clip", "clip")]
    for owner, name, before, after in replaced:
        setattr(owner, name, around(getattr(owner, name), before, after))
    try:
        yield
    finally:
        for owner, name, _, _ in replaced:
            delattr(owner, name)  # the class still has it
        for handle in handles:
            handle.remove()


def endless(trainer: Trainer) -> Iterator[Batch]:
    """The batches of one epoch after another."""
    while True:
        yield from trainer.batches()
        trainer.progress.epoch += 1
        trainer.progress.step = trainer.progress.epoch * trainer.steps_per_epoch


def measure(trainer: Trainer, steps: int) -> tuple[float, dict[str, float]]:
    """Do steps; returns the seconds of a step, and of each of its parts."""
    device, timeline, batches = trainer.device, Timeline(trainer.device), endless(trainer)

    def run(count: int) -> None:
        timeline.marks.clear()
        timeline.begin("data")
        for _ in range(count):
            batch = next(batches)
            timeline.begin("prepare")
            trainer.step(batch)
            timeline.begin("data")
        synchronize(device)

    with watching(trainer, timeline):
        run(WARMUP)
        began = time.perf_counter()
        run(steps)
        whole = (time.perf_counter() - began) / steps
    return whole, {part: seconds / steps for part, seconds in timeline.seconds().items()}


def advise(whole: float, parts: dict[str, float], config: Config, data: Any) -> str:
    """What to change first."""
    share = {part: seconds / whole for part, seconds in parts.items()}
    if share["data"] >= WAITS:
        size = len(data) * int(np.prod(data.shape)) * np.dtype(data.dtype).itemsize
        waits = f"Steps wait for data {share['data']:.0%} of the time."
        if config.cache == "none":
            workers = f"--num-workers {os.cpu_count()}, as many as there are cores"
            return f"{waits} Try --cache memory, if {size / 1e6:,.0f} MB fit, or {workers}."
        return f"{waits} Try smaller inputs."
    if share["optimizer"] >= LONG:
        return "The update takes as long for a small batch: try a larger --batch-size."
    model = share["forward"] + share["loss"] + share["backward"]
    other = "a smaller model or smaller inputs" if config.compile else "--compile"
    return f"The model takes {model:.0%} of the time: try {other}."


def main() -> None:
    """Time the steps, and print the result."""
    config = cli.parse(StepConfig)
    set_deterministic(config.deterministic)
    with distributed.process_group(config.device) as device:
        trainer = FixedTrainer(config, device)
        try:
            whole, parts = measure(trainer, config.steps)
        finally:
            trainer.close()
    if distributed.RANK:
        return
    print(f"{'part':<10} {'ms':>9} {'share':>6}")
    for part, seconds in parts.items():
        print(f"{part:<10} {1000 * seconds:>9.3f} {seconds / whole:>6.1%}  {PARTS[part]}")
    print(f"{'step':<10} {1000 * whole:>9.3f}")
    advice = advise(whole, parts, config, trainer.train_data)
    print(f"{config.batch_size / whole:,.0f} samples/s. {advice}")
