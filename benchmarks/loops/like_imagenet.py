"""The loop of the usual ImageNet script: running averages, each fed by an `.item()` per step."""

import sys
import time
from dataclasses import dataclass

import torch
from torch import nn

from loops.parts import CLIP, READ_EVERY, Parts, loss_of


@dataclass
class Average:
    """A quantity's latest value and its mean so far."""

    name: str
    value: float = 0.0
    total: float = 0.0
    count: int = 0

    def add(self, value: float, count: int = 1) -> None:
        """Count a value that stands for `count` samples."""
        self.value = value
        self.total += value * count
        self.count += count

    @property
    def mean(self) -> float:
        return self.total / self.count

    def __str__(self) -> str:
        return f"{self.name} {self.value:.4f} ({self.mean:.4f})"


def shares(logits: torch.Tensor, labels: torch.Tensor) -> list[float]:
    """Share of the samples whose label is the best, or among the best five, in percent."""
    best = logits.topk(5, dim=1).indices
    hits = best == labels[:, None]
    return [100.0 * hits[:, :k].sum().item() / len(labels) for k in (1, 5)]


def train_epoch(parts: Parts, epoch: int) -> float:
    """Returns the mean loss."""
    names = ("data", "step", "loss", "top1", "top5")
    data, whole, losses, top1, top5 = averages = [Average(name) for name in names]
    parts.model.train()
    end = time.process_time()
    for number, (images, labels, _) in enumerate(parts.batches()):
        data.add(time.process_time() - end)
        parts.adjust(epoch * len(parts.sampler) + number)
        logits = parts.model(images)
        loss = loss_of(logits, labels)
        losses.add(loss.item(), len(labels))
        for average, share in zip((top1, top5), shares(logits.detach(), labels), strict=True):
            average.add(share, len(labels))
        parts.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parts.model.parameters(), CLIP)
        parts.optimizer.step()
        whole.add(time.process_time() - end)
        end = time.process_time()
        if (number + 1) % READ_EVERY == 0:
            print(f"[{epoch}] {number + 1}", *averages, sep="  ", file=sys.stderr)
    return losses.mean


if __name__ == "__main__":
    parts = Parts()
    for epoch in parts.epochs():
        parts.losses.append(train_epoch(parts, epoch))
    parts.finish()
