"""Counts of a service in Prometheus' text format, version 0.0.4.

Each of these is written by one thread alone, so there are no locks.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Histogram:
    """How many values lie below each of several bounds."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)  # between bounds; the last is above all
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, meaning: str) -> Iterator[str]:
        """The lines of this metric; a bucket counts all values up to its bound."""
        yield from header(name, meaning, "histogram")
        below = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            below += count
            yield f'{name}_bucket{{le="{bound}"}} {below}'
        yield f"{name}_sum {self.total:.9g}"
        yield f"{name}_count {below}"


def header(name: str, meaning: str, kind: str) -> Iterator[str]:
    """The two lines before a metric."""
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"


def gauge(name: str, meaning: str, value: float) -> Iterator[str]:
    """A number that rises and falls."""
    yield from header(name, meaning, "gauge")
    yield f"{name} {value}"


def requests(name: str, meaning: str, counts: Counter[tuple[str, int]]) -> Iterator[str]:
    """How many requests there were, by path and status. Paths are known ones, so need no escape."""
    yield from header(name, meaning, "counter")
    for (path, status), count in sorted(counts.items()):
        yield f'{name}{{path="{path}",status="{status}"}} {count}'
