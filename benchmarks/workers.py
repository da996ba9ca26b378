"""What workers cost and bring: memory, the start of an epoch, and prefetching from slow storage.

    python benchmarks/workers.py [--rounds 7] [--samples 1000000]

Linux only. Writes its section of benchmarks/README.md.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from million import BATCH, FORMATS, memory_table, opened, store
from pace import Pace, one_thread, processor, versions
from timing import TRY, write_section
from torch.utils.data import DataLoader

STEP = 0.01  # seconds of a training step where the storage is slow
WORKERS = (0, None, 2) if TRY else (0, None, 1, 2, 4, 8)
LATENCIES = {"20 ms": (0.02, 0.02), "80 ms": (0.08, 0.08), "20 ms on average": (0.01, 0.21)}
TAIL = 20  # one batch in so many takes the longer time
CPU = torch.device("cpu")


@dataclass
class Restart:
    """A loader that begins epoch after epoch."""

    title: str
    sampler: Any
    batches: Callable[[], Iterable[Any]]
    """Those of the epoch that the sampler is at."""
    waits: Pace = field(default_factory=Pace)
    """For the first batch of an epoch, after the last of the one before, in ms."""
    gaps: Pace = field(default_factory=Pace)
    """Between the batches of an epoch, in ms."""
    epoch: int = 0

    def turn(self, keep: bool) -> None:
        """One epoch of the last twenty batches, timed from its beginning."""
        self.epoch += 1
        self.sampler.set_epoch(self.epoch, len(self.sampler) - 20)
        marks = [time.perf_counter()]
        for _ in self.batches():
            marks.append(time.perf_counter())
        assert len(marks) == 21
        if keep:
            self.waits.values.append(1000 * (marks[1] - marks[0]))
            self.gaps.values.append(1000 * float(np.median(np.diff(marks[1:]))))


def restarts(scratch: Path) -> Iterator[Restart]:
    """Each format: our loader, and one as PyTorch makes it if it is not told otherwise."""
    for data_format in FORMATS:
        module, reader = opened(scratch, data_format)
        dataset = module.BatchDataset(reader)
        ways = {"no workers": 0, "a thread": None, "2 workers": 2}
        if not reader.copies:
            del ways["a thread"]
        for title, workers in ways.items():
            sampler = module.TrainSampler(len(reader), BATCH, seed=0)
            loader = module.make_loader(dataset, sampler, seed=0, workers=workers)
            read = partial(module.batches, loader, CPU)
            yield Restart(f"ours, {data_format}, {title}", sampler, read)
        sampler = module.TrainSampler(len(reader), BATCH, seed=0)
        plain: Any = DataLoader(dataset, batch_size=None, sampler=sampler, num_workers=2)
        title = f"{data_format}, 2 workers started anew (PyTorch's default)"
        yield Restart(title, sampler, partial(iter, plain))


def restart_table(scratch: Path, rounds: int) -> str:
    found = list(restarts(scratch))
    for number in range(rounds + 1):  # the first starts the workers
        for one in found:
            one.turn(number > 0)
    rows = [
        "| an epoch of a million images | wait for its first batch, ms | lowest to highest "
        "| between later batches, ms | lowest to highest |",
        "|---" * 5 + "|",
    ]
    rows += [
        f"| {one.title} | {one.waits.cells('.1f')} | {one.gaps.cells('.1f')} |" for one in found
    ]
    return "\n".join(rows)


class SlowReader:
    """A reader behind a network: each read first waits, most often as long as `usual`."""

    copies = True

    def __init__(self, reader: Any, usual: float, rare: float) -> None:
        self.reader, self.targets = reader, reader.targets
        self.shape, self.dtype = reader.shape, reader.dtype
        self.usual, self.rare = usual, rare

    def read(self, indices: np.ndarray) -> Any:
        time.sleep(self.rare if indices[0] % TAIL == 0 else self.usual)
        return self.reader.read(indices)


@dataclass
class Slow:
    """Training steps of 10 ms on a slow storage."""

    latency: str
    workers: int | None
    batches: Iterator[Any]
    ready: int
    """Batches that may have been read before they are asked for, at most."""
    steps: Pace = field(default_factory=Pace)
    """Steps per second."""

    @property
    def ideal(self) -> float:
        """What neither a better loader nor a better order could exceed."""
        usual, rare = LATENCIES[self.latency]
        mean = usual + (rare - usual) / TAIL
        if self.workers == 0:
            return 1 / (STEP + mean)
        return min(1 / STEP, (self.workers or 1) / mean)

    def turn(self, keep: bool) -> None:
        for _ in range(self.ready):  # what was prepared while others had their turn
            next(self.batches)
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < 2:
            next(self.batches)
            time.sleep(STEP)
            done += 1
        if keep:
            self.steps.values.append(done / (time.perf_counter() - began))


def slow_storage(scratch: Path, latency: str, workers: int | None) -> Slow:
    module, reader = opened(scratch, "hdf5")
    dataset = module.BatchDataset(SlowReader(reader, *LATENCIES[latency]))
    sampler = module.TrainSampler(len(reader), 64, seed=0)
    loader = module.make_loader(dataset, sampler, seed=0, workers=workers)
    parallel = loader.processes is not None
    ready = loader.processes.dataset.slots if parallel else module.AHEAD + 1
    return Slow(latency, workers, module.batches(loader, CPU), ready)


def slow_table(scratch: Path, rounds: int) -> str:
    found = [slow_storage(scratch, latency, w) for latency in LATENCIES for w in WORKERS]
    for number in range(rounds + 1):
        for one in found:
            one.turn(number > 0)
    rows = [
        "| each read waits | workers | of the ideal | steps/s | lowest to highest | ideal |",
        "|---" * 6 + "|",
    ]
    for one in found:
        workers = "a thread" if one.workers is None else one.workers
        rows.append(
            f"| {one.latency} | {workers} | {one.steps.median / one.ideal:.2f} "
            f"| {one.steps.cells('.1f')} | {one.ideal:.1f} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--samples", type=int, default=1_000_000)
    given = parser.parse_args()
    one_thread()
    torch.set_num_threads(1)
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None  # a million files are soon made
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-", dir=memory) as name:
        scratch = Path(name)
        for data_format in FORMATS:
            store(scratch, data_format, given.samples)
        tables = [
            memory_table(scratch, given.samples),
            restart_table(scratch, given.rounds),
            slow_table(scratch, max(1, given.rounds // 2)),
        ]
    note = (
        f"{processor()}; {versions('torch', 'numpy', 'h5py', 'lmdb', 'pillow', 'simplejpeg')}. "
        f"{given.samples:,} images of 8 x 8 pixels in memory (tmpfs); batches of {BATCH}. "
        "The first table: what each worker has to itself and has written to (Private_Dirty of "
        "smaps, without the images), and its share of all that it uses (Pss, with the images); the "
        "mean over the workers, after the first batches, half an epoch later and at its end; no "
        "rounds, each line is one process. The list is what torchvision's "
        "ImageFolder holds, read without opening a file. The second: "
        f"{given.rounds} rounds in turn; an epoch is begun with its last twenty batches, its order "
        "drawn over all images; the training step is empty. The third: batches of 64, each read "
        "waits first, a training step takes 10 ms, two seconds a round, "
        f"{max(1, given.rounds // 2)} rounds in turn; `20 ms on average` are 10 ms, but 210 ms for "
        "one batch in twenty. The ideal is the smaller of what the steps and what that many "
        "workers allow."
    )
    write_section("workers.py", "Workers", note, tables)


if __name__ == "__main__":
    main()
