"""Work on threads whose results come in order, and a line that says how far it is."""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def in_order(function: Callable[[str], T], paths: Iterable[str]) -> Iterator[T]:
    """Apply `function` on threads; yield the results in order, holding a few of them at most."""
    threads = min(16, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads)
    pending: deque[Future[T]] = deque()
    try:
        for path in paths:
            pending.append(pool.submit(function, path))
            if len(pending) > 4 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def with_progress(items: Iterable[T], name: str, total: int) -> Iterator[T]:
    """Show how far it is: a bar on a terminal, else a line every ten seconds."""
    if sys.stderr.isatty():
        yield from tqdm(items, name, total, unit=" images")
        return
    said = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        if time.monotonic() - said > 10:
            said = time.monotonic()
            print(f"{name}: {done:,} of {total:,} images", file=sys.stderr, flush=True)
