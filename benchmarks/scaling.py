"""What 1,024 processes and 10^9 samples take: orders, shares, checkpoints, the cost of a step.

    python benchmarks/scaling.py [--ranks 1024] [--samples 1000000000]

The samples are numbers alone: none is read. Writes its section of benchmarks/README.md, which tells
what was measured from what was computed.
"""

import argparse
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import resnet50
import torch
from drawn import module_of, new_project
from pace import processor, versions
from timing import TRY, write_section
from torch.distributed.checkpoint.default_planner import DefaultSavePlanner
from torch.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
)
from torch.distributed.checkpoint.planner import (
    SavePlan,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)

NAME = "scaled"
EACH = 64  # samples that a process reads in a step
OF_A_FILE, WINDOW = 10_000, 16  # samples; files
RESNET50 = 25_557_032  # parameters
# of the network that is computed with: 400 Gb/s for each process, and a message's delay
BANDWIDTH, LATENCY = 50e9, 10e-6  # bytes/s, s
IMAGE_BYTES, PACE = 110_000, 2500  # of a JPEG of ImageNet; images/s of a GPU


def sampler_of(scratch: Path, samples: int, size: int, kind: str, rank: int, ranks: int) -> Any:
    """A rank's sampler of batches of `size` samples, over all ranks."""
    order = None
    if kind == "windows":
        counts = np.full(samples // OF_A_FILE, OF_A_FILE)
        order = module_of(scratch, NAME, "toolbox.windows").Windows(counts, WINDOW)
    train = module_of(scratch, NAME, "data.samplers").TrainSampler
    return train(samples, size, seed=0, order=order, rank=rank, world_size=ranks)


def status(field: str) -> float:
    """A line of this process's status, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise ValueError(field)


def of_one_rank(scratch: Path, samples: int, kind: str, ranks: int) -> list[float]:
    """A rank alone: ms until its first batch; µs for one more; ms to resume; MB; MB to evaluate.

    The MB are those that the process grew by at its peak, from when it had its sampler.
    """
    sampler = sampler_of(scratch, samples, EACH * ranks, kind, ranks // 2, ranks)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, start = status("VmRSS"), time.perf_counter()
    batches = iter(sampler)
    next(batches)
    first = time.perf_counter() - start
    count = min(2000, len(sampler) - 1)
    start = time.perf_counter()
    for _ in range(count):
        next(batches)
    further = (time.perf_counter() - start) / count
    sampler.set_epoch(5, len(sampler) // 2)
    start = time.perf_counter()
    next(iter(sampler))
    resumed, peak = time.perf_counter() - start, status("VmHWM") - before
    evaluation = module_of(scratch, NAME, "data.samplers").EvalSampler(
        samples, EACH, rank=ranks // 2, world_size=ranks
    )
    return [first * 1e3, further * 1e6, resumed * 1e3, peak, evaluation.indices.nbytes / 1e6]


def rank_table(scratch: Path, most: int, ranks: int) -> str:
    rows = [
        f"| one of {ranks:,} processes | samples | first batch, ms | each further one, µs "
        "| first batch of a resume, ms | memory, MB | to evaluate as many, MB |",
        "|---" * 7 + "|",
    ]
    sizes = [
        size for size in (10**5, 10**6, 10**7, 10**8, 10**9) if 10 * EACH * ranks <= size <= most
    ]
    for kind in ("any order", "windows"):
        for size in sizes:
            line = [sys.executable, __file__, "--one", str(scratch), str(size), kind, str(ranks)]
            found = json.loads(subprocess.check_output(line, text=True).splitlines()[-1])
            cells = " | ".join(f"{value:,.1f}" for value in found)
            rows.append(f"| {kind} | {size:,} | {cells} |")
    return "\n".join(rows)


def share_table(scratch: Path, samples: int, ranks: int) -> str:
    """All ranks of an epoch, one after the other; each sample that one draws is crossed off."""
    rows = [
        "| all processes | samples | drawn | of them different ones | left for another epoch "
        "| steps of each process | minutes |",
        "|---" * 7 + "|",
    ]
    size = ranks * max(EACH, 1024 if not TRY else EACH)
    for kind in ("any order", "windows"):
        seen, drawn, steps = np.zeros(samples, bool), 0, set()
        start = time.perf_counter()
        for rank in range(ranks):
            batches = 0
            for request in sampler_of(scratch, samples, size, kind, rank, ranks):
                seen[request.indices] = True
                drawn, batches = drawn + len(request.indices), batches + 1
            steps.add(batches)
        minutes = (time.perf_counter() - start) / 60
        different = int(np.count_nonzero(seen))
        assert different == drawn == samples // size * size and len(steps) == 1
        rows.append(
            f"| {kind} | {samples:,} | {drawn:,} | {different:,} | {samples - drawn:,} "
            f"| {steps.pop():,} | {minutes:.1f} |"
        )
    return "\n".join(rows)


def plan_of(shapes: dict[str, torch.Size], rank: int, ranks: int) -> SavePlan:
    """What a rank says that it will write: its rows of both moments of each parameter."""
    items = []
    for name, shape in shapes.items():
        rows = -(-shape[0] // ranks)
        own = max(0, min(rows, shape[0] - rank * rows))
        offsets = torch.Size([min(rank * rows, shape[0]), *[0] * (len(shape) - 1)])
        chunk = ChunkStorageMetadata(offsets, torch.Size([own, *shape[1:]]))
        for field in ("exp_avg", "exp_avg_sq") if own else ():
            index = MetadataIndex(f"{name}/{field}", offsets)
            data = TensorWriteData(chunk, TensorProperties(), shape)
            items.append(WriteItem(index, WriteItemType.SHARD, tensor_data=data))
    return SavePlan(items, planner_data={})


def checkpoint_table(ranks: int) -> str:
    """What the first process does of a sharded checkpoint beside writing: plans, and the list."""
    images = {"shape": (224, 224, 3), "mean": [0.5] * 3, "std": [0.5] * 3}
    facts = SimpleNamespace(**images, classes=range(1000))
    with torch.device("meta"):
        model = resnet50.build_model(SimpleNamespace(dropout=0.0), facts)
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    rows = [
        "| measured: a sharded checkpoint of a ResNet-50 | parts | plans that the first process "
        "gets, MB | its time for them, s | list of the parts, MB |",
        "|---" * 5 + "|",
    ]
    for count in sorted({2, 8, 64, ranks}):
        plans = [plan_of(shapes, rank, count) for rank in range(count)]
        sent = sum(len(pickle.dumps(plan)) for plan in plans)
        planner = DefaultSavePlanner()
        planner.set_up_planner({}, is_coordinator=True)
        start = time.perf_counter()
        _, listed = planner.create_global_plan(plans)
        seconds = time.perf_counter() - start
        parts = sum(len(plan.items) for plan in plans)
        rows.append(
            f"| {count:,} processes | {parts:,} | {sent / 1e6:,.1f} | {seconds:,.2f} "
            f"| {len(pickle.dumps(listed)) / 1e6:,.1f} |"
        )
    return "\n".join(rows)


def exchange(rank: int, ranks: int, port: int, numbers: int, pipe: Any) -> None:
    """A process of an all-reduce by gloo: the median of its times in s."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
    gradients, times = torch.ones(numbers), []
    for _ in range(3 if TRY else 12):
        torch.distributed.barrier()
        start = time.perf_counter()
        torch.distributed.all_reduce(gradients)
        times.append(time.perf_counter() - start)
    pipe.send(sorted(times[1:])[len(times) // 2])
    torch.distributed.destroy_process_group()


def gloo(ranks: int, numbers: int) -> float:
    """Seconds of an all-reduce of float32 over that many processes here."""
    start = multiprocessing.get_context("spawn")
    ours, theirs = start.Pipe()
    port = 20_000 + os.getpid() % 20_000 + ranks
    arguments = [(rank, ranks, port, numbers, theirs) for rank in range(ranks)]
    processes = [start.Process(target=exchange, args=one) for one in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return max(float(ours.recv()) for _ in processes)


def computed(ranks: int, size: int) -> Iterator[str]:
    """What a ring all-reduce of `size` bytes costs a process, and what its data costs the storage.

    Each process sends its share 2 (N - 1) times (Patarasuk, Yuan: Bandwidth Optimal All-reduce
    Algorithms, 2009).
    """
    sent = 2 * (ranks - 1) / ranks * size
    yield f"{sent / 1e6:,.0f}"
    yield f"{1e3 * sent / BANDWIDTH:,.1f}"
    yield f"{1e3 * 2 * (ranks - 1) * LATENCY:,.1f}"
    yield f"{ranks * PACE * IMAGE_BYTES / 1e9:,.1f}"


def step_tables(ranks: int) -> list[str]:
    numbers = 100_000 if TRY else RESNET50
    measured = [
        "| measured here: all-reduce by gloo | gradients, MB | ms |",
        "|---|---|---|",
    ]
    for count in (2, 4):
        seconds = gloo(count, numbers)
        measured.append(f"| {count} processes | {numbers * 4 / 1e6:,.0f} | {seconds * 1e3:,.0f} |")
    rows = [
        "| computed: ResNet-50 by DDP | sent by each process in a step, MB | its time, ms "
        "| delays of a ring, ms | read from the storage, GB/s |",
        "|---" * 5 + "|",
    ]
    for count in (2, 8, 64, ranks):
        cells = " | ".join(computed(count, RESNET50 * 4))
        rows.append(f"| {count:,} processes | {cells} |")
    return ["\n".join(measured), "\n".join(rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ranks", type=int, default=16 if TRY else 1024)
    parser.add_argument("--samples", type=int, default=2 * 10**5 if TRY else 10**9)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        scratch, size, kind, ranks = given.one
        print(json.dumps(of_one_rank(Path(scratch), int(size), kind, int(ranks))))
        return
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        new_project(Path(name), "hdf5", NAME, "--logger", "none", "--parallelism", "ddp")
        tables = [
            rank_table(Path(name), given.samples, given.ranks),
            share_table(Path(name), given.samples, given.ranks),
            checkpoint_table(given.ranks),
            *step_tables(given.ranks),
        ]
    note = (
        f"{processor()}; {versions('torch', 'numpy')}. Samples are numbers: none is read. Each "
        f"process draws {EACH} a step; files have {OF_A_FILE:,} samples, a window {WINDOW} files. "
        f"What is computed takes {BANDWIDTH * 8 / 1e9:.0f} Gb/s for each process, "
        f"{LATENCY * 1e6:.0f} µs for a message, {PACE:,} images/s and {IMAGE_BYTES:,} bytes for "
        "each; it leaves out that the exchange runs beside the backward pass."
    )
    write_section("scaling.py", "Many processes, many samples", note, tables)


if __name__ == "__main__":
    main()
