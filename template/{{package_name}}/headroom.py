"""How long the steps of a run waited for data, and what could be done about it."""

import math
import os
import time
from collections.abc import Iterable, Iterator

import torch

from .cache import free_bytes
from .config import Config
from .data import Batch
from .storage import Reader


class Headroom:
    """Watches the batches of a run go by, from this start of it on."""

    def __init__(self) -> None:
        self.waited = 0.0  # seconds in which the loop had no batch
        self.worked = 0.0  # seconds in which it had one

    def watch(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Pass the batches on, and note how long each was waited for, and used."""
        asked = time.perf_counter()
        for batch in batches:
            came = time.perf_counter()
            if self.worked:  # the first batch waits for the workers to start
                self.waited += came - asked
            yield batch
            asked = time.perf_counter()
            self.worked += asked - came


def report(waited: float, worked: float, config: Config, reader: Reader) -> str:
    """What data that is there at once would give at most, and one piece of advice."""
    share = waited / (waited + worked) if worked else 0.0
    line = f"data: steps waited for it {share:.1%} of the time"
    if share < 0.05:
        return f"{line}; they are the limit themselves"
    return f"{line}; without that, {1 / (1 - share):.2f} times the speed. {advise(config, reader)}"


def advise(config: Config, reader: Reader) -> str:
    """What to try first where steps wait for data."""
    needed, cores = len(reader) * math.prod(reader.shape), os.cpu_count() or 1
    if config.cache != "none":
        return "Try a smaller --image-size"
    if 2 * needed < free_bytes(torch.device("cpu")):
        return f"Try --cache memory: the images take {needed / 1e6:,.1f} MB"
    if (config.num_workers or 0) < cores:
        return f"Try --num-workers {cores}, as many as there are cores"
    return "Try a smaller --image-size, or a disk that is faster"
