"""A trained model behind a queue: image files in, answers out, several at a time."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from ..base.values import Plain
from ..engine.exported import Exported
from ..engine.trained import Trained
from .batching import Batcher
from .prometheus import SIZES, Histogram
from .uploads import Limits, Refused, Upload, decode, guard

RETRY = {"Retry-After": "1"}  # seconds


class Answer(NamedTuple):
    """What the model says of an image."""

    prediction: Plain  # as `predict --json` has it
    values: torch.Tensor | None  # a probability of each class, (classes,), where there are classes


class Service:
    """The model behind its queue."""

    def __init__(
        self,
        trained: Trained | Exported,
        device: torch.device,
        name: str,
        *,
        limits: Limits,
        max_queue: int,
        max_batch: int,
        max_wait: float,
        decoders: int,
    ) -> None:
        """Start the threads. The queue holds `max_queue` images, counted until their answer."""
        self.trained, self.device, self.name, self.limits = trained, device, name, limits
        self.max_queue, self.taken = max_queue, 0
        self.sizes = Histogram(SIZES)  # of the batches
        self.batcher: Batcher[np.ndarray, Answer] = Batcher(self._answer, max_batch, max_wait)
        self.decoders = ThreadPoolExecutor(decoders, "decode")
        guard(limits)

    def warm_up(self, images: int) -> None:
        """Answer a full batch of blank images, which is not counted; raises what the model does."""
        blank = self.trained.facts.zeros(1).numpy()[0]
        for future in self.batcher.submit([blank] * images):
            future.result()
        self.sizes = Histogram(SIZES)

    def close(self) -> None:
        """Answer what waits, and end the threads."""
        self.batcher.close()
        self.decoders.shutdown()

    @contextmanager
    def places(self, count: int) -> Iterator[None]:
        """Hold places in the queue; raises Refused where there are too few."""
        if self.taken + count > self.max_queue:
            raise Refused(503, "the queue is full: try again in a second", RETRY)
        self.taken += count
        try:
            yield
        finally:
            self.taken -= count

    async def answers(self, uploads: list[Upload]) -> list[Answer]:
        """What the model says of images; raises Refused where one of them is bad."""
        read_all = partial(decode_all, uploads, self.trained.facts.shape, self.limits)
        images = await asyncio.get_running_loop().run_in_executor(self.decoders, read_all)
        futures = self.batcher.submit(images)
        return list(await asyncio.gather(*map(asyncio.wrap_future, futures)))

    def _answer(self, images: list[np.ndarray]) -> list[Answer]:
        """Answer a batch of images (H, W, C)."""
        self.sizes.observe(len(images))
        activated = self.trained.answer(torch.from_numpy(np.stack(images)).to(self.device))
        predictions = self.trained.task.predictions(activated)
        facts, values = self.trained.facts, [None] * len(images)
        # where the targets are classes, the facts have their counts
        if facts.targets.get("counts") and activated.shape[1:] == (len(facts.classes),):
            values = list(activated.float().cpu())
        return [Answer(p, v) for p, v in zip(predictions, values, strict=True)]

    def details(self, answer: Answer) -> Plain:
        """An answer in words, and the probability of each class."""
        classes = None
        if answer.values is not None:
            pairs = zip(self.trained.facts.classes, answer.values.tolist(), strict=True)
            classes = [{"class": name, "probability": value} for name, value in pairs]
        return {"words": self.trained.task.in_words(answer.prediction), "classes": classes}

    def about(self) -> Plain:
        """Whether the model answers, and what it is."""
        facts = self.trained.facts
        return {
            "status": "failing" if self.batcher.failed else "ready",
            "model": self.name,
            "device": str(self.device),
            "input": list(facts.shape),
            "classes": facts.classes,
        }


def decode_all(uploads: list[Upload], shape: tuple[int, ...], limits: Limits) -> list[np.ndarray]:
    """The images, (H, W, C) uint8 each."""
    return [decode(upload, shape, limits) for upload in uploads]
