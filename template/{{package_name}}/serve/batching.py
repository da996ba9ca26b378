"""Dynamic batching: items wait a moment for others, and one thread computes each batch."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """An item that waits."""

    item: Any
    future: asyncio.Future[Any]
    since: float  # seconds of the event loop's clock


class Batcher:
    """Calls a function on several waiting items at a time, in the order in which they came.

    A batch is full with `max_batch` items; a smaller one starts when its first item has waited for
    `max_wait` seconds. While the function runs more items arrive, so under load batches are large
    and nothing waits for the clock. Only one thread calls the function.
    """

    def __init__(
        self, function: Callable[[list[Any]], Sequence[Any]], max_batch: int, max_wait: float
    ) -> None:
        """`function` takes a list of items and returns a result for each."""
        self.function, self.max_batch, self.max_wait = function, max_batch, max_wait
        self.queue: asyncio.Queue[Entry] = asyncio.Queue()
        self.thread = ThreadPoolExecutor(1, "batches")
        self.failed = False  # whether the last batch did

    async def submit(self, items: Sequence[Any]) -> list[Any]:
        """The results of items, or what the function raised."""
        loop = asyncio.get_running_loop()
        entries = [Entry(item, loop.create_future(), loop.time()) for item in items]
        for entry in entries:
            self.queue.put_nowait(entry)
        return list(await asyncio.gather(*(entry.future for entry in entries)))

    async def run(self) -> None:
        """Compute batch after batch until it is canceled."""
        loop = asyncio.get_running_loop()
        while True:
            batch = await self._next()
            items = [entry.item for entry in batch]
            try:
                results = await loop.run_in_executor(self.thread, self.function, items)
                pairs = list(zip(batch, results, strict=True))
            except Exception as error:
                self.failed = True
                for entry in batch:
                    if not entry.future.done():  # nobody waits for one that was canceled
                        entry.future.set_exception(error)
            else:
                self.failed = False
                for entry, result in pairs:
                    if not entry.future.done():
                        entry.future.set_result(result)

    async def _next(self) -> list[Entry]:
        """Wait for the next batch and take it."""
        batch = [await self.queue.get()]
        try:
            while len(batch) < self.max_batch:
                async with asyncio.timeout_at(batch[0].since + self.max_wait):
                    empty = self.queue.empty()
                    batch.append(await self.queue.get() if empty else self.queue.get_nowait())
        except TimeoutError:
            pass
        return batch
