"""What every loop is made of: the parts of one generated project, and how its epochs are timed.

Each loop beside this file is run in a process of its own by benchmarks/loop.py:

    PYTHONPATH=benchmarks python -m loops.by_hand PROJECT RESULT --data-dir DATA --epochs 9

No loop chooses data, model, optimizer or rate: they are the project's, so that the loops differ in
nothing but themselves. Times are those of the processor, not of the clock on the wall: what else
the machine does shall not count, and on a CPU, with one thread, a loop waits for nothing.
"""

import argparse
import hashlib
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

READ_EVERY = 20  # steps between readings of the loss, as in the project's own loop
CLIP = 1.0


def flags() -> argparse.ArgumentParser:
    """What every loop is told."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--epochs", type=int, required=True)
    return parser


class Parts:
    """A project's data, model, optimizer and rate, and the times of the loop that uses them."""

    def __init__(self, variant: str = "") -> None:
        parser = flags()
        if variant:
            parser.add_argument(f"--{variant}", action="store_true")
        self.given = parser.parse_args()
        sys.path.insert(0, str(self.given.project))
        self.name = self.given.project.name
        self.config = self.module("config").Config(
            data_dir=self.given.data_dir,
            width=self.given.width,
            epochs=self.given.epochs,
            num_workers=0,
            device="cpu",
            compile=True,  # no loop does; but so torch's optimizer is used as torch makes it
        )
        torch.set_num_threads(1)
        self.device = torch.device("cpu")
        self.trainer = self._trainer()
        self.state = self.trainer.state
        self.model, self.optimizer = self.state.model, self.state.optimizer
        self.sampler = self.trainer.sampler
        self.seconds: list[float] = []
        self.losses: list[float] = []

    def torch_loader(self) -> DataLoader[Any]:
        """PyTorch's own loader of the project's batches, for those who take no other."""
        dataset = self.trainer.train_loader.dataset
        return DataLoader(dataset, batch_size=None, sampler=self.sampler)

    def module(self, name: str) -> Any:
        """A module of the project."""
        return importlib.import_module(f"{self.name}.{name}")

    def _trainer(self) -> Any:
        """The project's own parts; its `step` is not called by any loop."""
        if self.parallel:
            self.module("base.distributed").start("cpu")
        return self.module("engine.trainer").Trainer(self.config, self.device)

    @property
    def parallel(self) -> bool:
        """Whether the project is one for several processes."""
        source: Path = self.given.project / self.name
        return (source / "base" / "distributed.py").exists()

    @property
    def amp(self) -> str:
        """The project's precision."""
        answers = (self.given.project / ".copier-answers.yml").read_text(encoding="utf-8")
        found = [line for line in answers.splitlines() if line.startswith("amp:")]
        kind: str = found[0].split(":")[1].strip(" '\"")
        return kind

    def autocast(self) -> Callable[[], AbstractContextManager[Any]]:
        """The context that the forward pass wants."""
        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.amp)
        return (lambda: torch.autocast("cpu", kind)) if kind else nullcontext

    def epochs(self) -> Iterator[int]:
        """The epochs, each of them timed from the first look at its data to its last step."""
        for epoch in range(self.config.epochs):
            began = time.process_time()
            self.sampler.set_epoch(epoch)
            yield epoch
            self.seconds.append(time.process_time() - began)

    def batches(self) -> Iterator[Any]:
        """What is left of the epoch, through the project's loader."""
        loader = self.trainer.train_loader
        batches: Iterator[Any] = self.module("data.loader").batches(loader, self.device)
        return batches

    @staticmethod
    def unpack(loaded: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Images and labels of what the loader itself gives: on a CPU nothing is left to do."""
        (images, labels, _), _ = loaded
        return images, labels

    def adjust(self, step: int) -> None:
        """Set the rates of optimizer step `step`."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.trainer.rate(step, group["initial_lr"])

    def finish(self) -> None:
        """Leave what the loop took, and what it led to."""
        leave(self.given.result, self.seconds, self.losses, self.model.state_dict())


def leave(
    result: Path, seconds: list[float], losses: list[float], weights: dict[str, torch.Tensor]
) -> None:
    """Write each epoch's time and mean loss, and a digest of the weights, for loop.py."""
    digest = hashlib.sha256()
    for name, value in sorted(weights.items()):
        digest.update(name.encode() + value.contiguous().numpy().tobytes())
    content = {"seconds": seconds, "losses": losses, "weights": digest.hexdigest()}
    result.write_text(json.dumps(content), encoding="utf-8")


class Sums:
    """The loss and the hits of an epoch, kept on the device and read only now and then."""

    def __init__(self) -> None:
        self.total = torch.zeros(2)
        self.samples = 0

    def add(self, loss: torch.Tensor, logits: torch.Tensor, labels: torch.Tensor) -> None:
        """Count a batch, whose mean loss is given."""
        correct = (logits.argmax(dim=1) == labels).sum()
        self.total += torch.stack((loss.detach() * len(labels), correct))
        self.samples += len(labels)

    def read(self) -> tuple[float, float]:
        """The mean loss and the accuracy so far."""
        loss, correct = self.total.tolist()
        return loss / self.samples, correct / self.samples


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The mean cross-entropy of a batch."""
    return F.cross_entropy(logits, labels)
