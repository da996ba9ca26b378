"""What many processes take beside their samples: checkpoints, parts of a model, a step's exchange.

Its tables are a part of what scaling.py writes.
"""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import resnet50
import torch
from drawn import new_project, run
from timing import ENVIRONMENT, TRY
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

RESNET50 = 25_557_032  # parameters
# of the network that is computed with: 400 Gb/s for each process, and a message's delay
BANDWIDTH, LATENCY = 50e9, 10e-6  # bytes/s, s
IMAGE_BYTES, PACE = 110_000, 2500  # of a JPEG of ImageNet; images/s of a GPU


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


PARTS = """
import json, sys
from {name}.base import distributed
from {name}.base.device import pick_device
from {name}.config import Config
from {name}.engine.trainer import Trainer

def main():
    config = Config(batch_size=8, num_workers=0, device="cpu", width={width})
    trainer = Trainer(config, distributed.start("cpu"))
    trainer.start()
    trainer.step(next(trainer.batches()))
    local = lambda t: t.to_local() if hasattr(t, "to_local") else t
    size = lambda tensors: sum(local(t).numel() * 4 for t in tensors) / 1e6
    states = [t for one in trainer.state.optimizer.state.values() for t in one.values() if t.ndim]
    found = size(trainer.state.model.parameters()), size(states)
    if distributed.is_main():
        print(json.dumps(found))

if __name__ == "__main__":
    main()
"""


def parts_table(scratch: Path) -> str:
    """What a process keeps of a model by FSDP, between two steps."""
    folder = new_project(scratch, "hdf5", "parts", "--logger", "none", "--parallelism", "fsdp")
    run(folder, "-m", "parts.prepare", "--demo")
    script = folder / "parts_of.py"
    script.write_text(PARTS.format(name="parts", width=64 if TRY else 256), encoding="utf-8")
    rows = [
        "| measured: a net by FSDP, processes | weights of each, MB | its optimizer state, MB |",
        "|---|---|---|",
    ]
    for count in (1, 2, 4):
        line = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        line += [f"--nproc-per-node={count}", str(script)]
        out = subprocess.run(
            line, cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True
        )
        weights, state = json.loads(out.stdout.splitlines()[-1])
        rows.append(f"| {count} | {weights:,.1f} | {state:,.1f} |")
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
