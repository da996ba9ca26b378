"""The loop as an Ignite engine, with its metrics attached and a handler that logs them."""

import sys
import time
from typing import Any

import torch
from ignite.engine import Engine, Events  # type: ignore[import-not-found]
from ignite.metrics import Accuracy, Average  # type: ignore[import-not-found]
from torch import nn

from loops.parts import CLIP, READ_EVERY, Parts, loss_of


class Epochs:
    """The project's loader, which Ignite asks for an iterator once per epoch."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return len(self.parts.sampler)

    def __iter__(self) -> Any:
        return self.parts.batches()


def train(parts: Parts) -> None:
    """All epochs."""

    def update(engine: Engine, batch: Any) -> dict[str, torch.Tensor]:
        parts.adjust(engine.state.iteration - 1)
        logits = parts.model(batch.inputs)
        loss = loss_of(logits, batch.targets)
        parts.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parts.model.parameters(), CLIP)
        parts.optimizer.step()
        return {"loss": loss.detach(), "logits": logits.detach(), "labels": batch.targets}

    engine = Engine(update)
    Average(output_transform=lambda o: o["loss"]).attach(engine, "loss")
    Accuracy(output_transform=lambda o: (o["logits"], o["labels"])).attach(engine, "accuracy")
    began = 0.0

    def start(engine: Engine) -> None:
        nonlocal began
        began = time.process_time()
        parts.sampler.set_epoch(engine.state.epoch - 1)

    def log(engine: Engine) -> None:
        loss = engine.state.output["loss"].item()
        print(f"[{engine.state.epoch}] {engine.state.iteration} {loss:.4f}", file=sys.stderr)

    def end(engine: Engine) -> None:
        parts.seconds.append(time.process_time() - began)
        parts.losses.append(engine.state.metrics["loss"])

    engine.add_event_handler(Events.EPOCH_STARTED, start)
    engine.add_event_handler(Events.ITERATION_COMPLETED(every=READ_EVERY), log)
    engine.add_event_handler(Events.EPOCH_COMPLETED, end)
    engine.run(Epochs(parts), max_epochs=parts.config.epochs, epoch_length=len(parts.sampler))


if __name__ == "__main__":
    parts = Parts()
    train(parts)
    parts.finish()
