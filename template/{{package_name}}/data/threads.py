"""Work on threads whose results come in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

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
