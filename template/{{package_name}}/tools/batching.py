"""Answers that are computed in batches: items wait a moment for others, one thread does it all."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Waiting(NamedTuple, Generic[Item, Answer]):
    """An item that has not been answered yet."""

    item: Item
    future: "Future[Answer]"
    since: float  # seconds of time.monotonic


class Batcher(Generic[Item, Answer]):
    """Hands waiting items to a function, several at a time, in the order in which they came.

    A batch is full with `max_batch` items; a smaller one starts when its first item has waited for
    `max_wait` seconds. While the function is at work more items arrive, so under load batches are
    large and nothing waits for the clock. The function is called by one thread alone.
    """

    def __init__(
        self, answer: Callable[[list[Item]], Sequence[Answer]], max_batch: int, max_wait: float
    ) -> None:
        """Start the thread. `answer` takes a list of items and gives an answer for each."""
        self._answer, self._max_batch, self._max_wait = answer, max_batch, max_wait
        self._waiting: deque[Waiting[Item, Answer]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self.failed = False  # whether the last batch was
        self._thread = threading.Thread(target=self._work, name="batches", daemon=True)
        self._thread.start()

    def submit(self, items: Sequence[Item]) -> "list[Future[Answer]]":
        """Add items to the queue; each future gets an answer, or what the function raised.

        Raises RuntimeError after `close`.
        """
        now = time.monotonic()
        added: list[Waiting[Item, Answer]] = [Waiting(item, Future(), now) for item in items]
        with self._changed:
            if self._closed:
                raise RuntimeError("the batcher is closed")
            self._waiting.extend(added)
            self._changed.notify()
        return [entry.future for entry in added]

    @property
    def waiting(self) -> int:
        """Items in the queue, besides those that are being answered."""
        return len(self._waiting)

    def close(self) -> None:
        """Take no more items, answer those that are waiting, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while batch := self._next():
            # a future that was cancelled meanwhile has nobody to answer
            batch = [entry for entry in batch if entry.future.set_running_or_notify_cancel()]
            if not batch:
                continue
            try:
                answers = self._answer([entry.item for entry in batch])
                pairs = list(zip(batch, answers, strict=True))
            except Exception as error:
                self.failed = True
                for entry in batch:
                    entry.future.set_exception(error)
            else:
                self.failed = False
                for entry, answer in pairs:
                    entry.future.set_result(answer)

    def _next(self) -> list[Waiting[Item, Answer]]:
        """Wait for the next batch and take it; an empty one comes after `close` alone."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._waiting:
                left = self._waiting[0].since + self._max_wait - time.monotonic()
                self._changed.wait_for(self._is_full, timeout=max(left, 0))
            size = min(len(self._waiting), self._max_batch)
            return [self._waiting.popleft() for _ in range(size)]

    def _is_full(self) -> bool:
        return self._closed or len(self._waiting) >= self._max_batch
