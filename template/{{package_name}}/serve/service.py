"""A trained model behind a queue: image files in, predictions out, several at a time."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.exceptions import HTTPException

from ..engine.trained import TrainedModel
from ..export.program import ExportedModel, zeros
from .batching import Batcher
from .uploads import Limits, Upload, decode

RETRY = {"Retry-After": "1"}  # seconds
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Result(NamedTuple):
    """What the model makes of an image."""

    prediction: dict[str, Any]  # as `predict --json` has it
    probabilities: list[float] | None  # of each class, if the model gives these


class Service:
    """The model, its queue and what is counted."""

    def __init__(
        self,
        model: TrainedModel | ExportedModel,
        name: str,
        *,
        limits: Limits,
        max_queue: int,
        max_batch: int,
        max_wait: float,
    ) -> None:
        """The queue holds `max_queue` images, from request to response."""
        self.model, self.name, self.limits = model, name, limits
        self.about = {
            "model": name,
            "device": str(model.device),
            "input": list(model.info.shape),
            "classes": model.info.classes,
        }
        self.max_queue, self.taken = max_queue, 0
        self.batcher = Batcher(self._predict, max_batch, max_wait)
        self.registry = CollectorRegistry()
        kept: Any = {"registry": self.registry}
        self.requests = Counter("serve_requests", "Requests.", ["path", "status"], **kept)
        self.seconds = Histogram("serve_predict_seconds", "From request to response.", **kept)
        self.batch_sizes = Histogram("serve_batch_images", "In a batch.", buckets=SIZES, **kept)
        queue = Gauge("serve_queue_images", "Waiting for the model.", **kept)
        queue.set_function(self.batcher.queue.qsize)
        work = Gauge("serve_work_images", "From request to response.", **kept)
        work.set_function(lambda: self.taken)
        # the first call of a model is slow, and may need too much memory
        self.model.predict(zeros(self.model.info, max_batch).to(self.model.device))

    @contextmanager
    def reserve(self, count: int) -> Iterator[None]:
        """Hold places in the queue; raises HTTPException if there are too few."""
        if self.taken + count > self.max_queue:
            raise HTTPException(503, "the queue is full: try again in a second", RETRY)
        self.taken += count
        try:
            yield
        finally:
            self.taken -= count

    async def predict(self, uploads: list[Upload]) -> list[Result]:
        """What the model makes of images; raises HTTPException if one of them is bad."""
        height, width, _ = self.model.info.shape

        def decode_all() -> list[np.ndarray]:
            return [decode(upload, (height, width), self.limits) for upload in uploads]

        return await self.batcher.submit(await asyncio.to_thread(decode_all))

    def _predict(self, arrays: list[np.ndarray]) -> list[Result]:
        """Predict for a batch of images (H, W, 3)."""
        self.batch_sizes.observe(len(arrays))
        inputs = torch.from_numpy(np.stack(arrays)).to(self.model.device)
        activated = self.model.predict(inputs)
        predictions = self.model.task.predictions(activated)
        probabilities: list[Any] = [None] * len(arrays)
        if activated.shape[1:] == (len(self.model.info.classes),):
            values = activated.float().cpu()
            if ((values >= 0) & (values <= 1)).all():
                probabilities = values.tolist()
        return [Result(p, v) for p, v in zip(predictions, probabilities, strict=True)]

    def details(self, result: Result) -> dict[str, Any]:
        """A prediction in words, and the probability of each class."""
        classes = None
        if result.probabilities is not None:
            pairs = zip(self.model.info.classes, result.probabilities, strict=True)
            classes = [{"class": name, "probability": value} for name, value in pairs]
        return {"text": self.model.task.format_prediction(result.prediction), "classes": classes}
