"""Exact metrics: sums over samples in float64, over all ranks, divided once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from ..base import distributed
from ..base.errors import UserError
from ..task import Sums, Task


class MetricSums:
    """Running sums, kept on the device so that no step waits for it."""

    def __init__(self, device: torch.device) -> None:
        self.dtype = torch.float32 if device.type == "mps" else torch.float64
        self.device, self.samples, self.sums = device, 0, Sums()

    def add(self, sums: Sums, samples: int = 0) -> None:
        """Add the sums over some samples."""
        self.samples += samples
        for name, value in sums.items():
            value = value.detach().to(self.dtype)
            if name in self.sums:  # what is named all_ is kept whole
                old = self.sums[name]
                value = torch.cat([old, value]) if name.startswith("all_") else old + value
            self.sums[name] = value

    def by_rank(self) -> list[dict[str, Any]]:
        """The state of each rank, which may have had no sample; waits for the device."""
        sums = {name: value.cpu() for name, value in self.sums.items()}
        return distributed.all_gather({"samples": self.samples, "sums": sums})

    def load(self, saved: dict[str, Any]) -> None:
        """Add what `by_rank` gave for one rank."""
        self.add({n: v.to(self.device) for n, v in saved["sums"].items()}, saved["samples"])

    def compute(self, task: Task) -> dict[str, float]:
        """The loss, the task's metrics and the mean gradient norm over all ranks."""
        total = MetricSums(torch.device("cpu"))
        for saved in self.by_rank():
            total.load(saved)
        loss = total.sums["loss"].item() / total.samples
        metrics = {"loss": loss} | task.metrics(total.sums, total.samples)
        if total.sums.get("grad_steps"):  # of training, whose gradient was finite
            metrics["grad_norm"] = (total.sums["grad_norm"] / total.sums["grad_steps"]).item()
        if not task.training and task.best not in metrics:
            raise UserError(f"Task.best is {task.best!r}, not one of {', '.join(metrics)}")
        return metrics


@contextmanager
def eval_mode(*modules: nn.Module) -> Iterator[None]:
    """Switch to eval mode; then give each submodule its own mode back, frozen norms included."""
    modes = {part: part.training for module in modules for part in module.modules()}
    for module in modules:
        module.eval()
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode
