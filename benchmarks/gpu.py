"""How fast training is on a GPU: the whole pipeline against steps on data that is there already.

    python benchmarks/gpu.py [--device cuda] [--seconds 10]

For a ResNet-50 on 224 x 224 pixels and the project's own small net on 32 x 32, in bf16: images per
second of the real `train` from each format and cache, against the same step on one batch that lies
on the device; that step against what the chip reaches in plain matrix products and copies; and the
time to 98 % on the digits. Writes its section of benchmarks/README.md. `--device cpu --seconds 1`
tries the script itself out, and prints.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from drawn import COUNT, draw, new_project, prepare, run
from pace import versions
from timing import ENVIRONMENT, ROOT, write_section

FORMATS = ("imagefolder", "hdf5", "lmdb")


class Case(NamedTuple):
    """A model and the images for it."""

    title: str
    size: int
    batch: int
    model: str  # a file of this folder to stand for the project's model.py; "" for its own


CASES = (Case("ResNet-50", 224, 256, "resnet50.py"), Case("the project's own net", 32, 1024, ""))

RESIDENT = """
import json, sys, time
import torch
from {name}.config import Config
from {name}.base.device import pick_device
from {name}.engine.trainer import Trainer

config = Config(batch_size={batch}, num_workers=0, device="{device}", compile={compiled})
trainer = Trainer(config, pick_device(config.device))
trainer.start()
batch = next(trainer.batches())
wait = torch.cuda.synchronize if trainer.device.type == "cuda" else lambda: None

def steps(count):
    for number in range(1, count + 1):
        trainer.step(batch)
        if number % 20 == 0:
            trainer.state.read()
    wait()

steps(20)
if trainer.device.type == "cuda":
    torch.cuda.set_sync_debug_mode("error")  # a step that waits for the device ends this
    for _ in range(5):
        trainer.step(batch)
    torch.cuda.set_sync_debug_mode("default")
    trainer.state.read()
speeds = []
for _ in range(5):
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < {seconds} / 5:
        steps(20)
        count += 20
    speeds.append(count * {batch} / (time.perf_counter() - began))
print(json.dumps(speeds))
"""


def resident(folder: Path, case: Case, given: argparse.Namespace, *, compiled: bool) -> float:
    """Images per second of the project's own step on a batch that lies on the device."""
    code = RESIDENT.format(
        name=folder.name,
        batch=min(case.batch, given.most),
        device=given.device,
        seconds=given.seconds,
        compiled=compiled,
    )
    line = [sys.executable, "-c", code]
    out = subprocess.run(
        line, cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True
    )
    speeds: list[float] = json.loads(out.stdout.splitlines()[-1])
    return statistics.median(speeds)


def pipeline(folder: Path, case: Case, given: argparse.Namespace, *flags: str) -> float:
    """Images per second of the real command: the median of its epochs but the first."""
    runs = folder / "runs" / "bench"
    shutil.rmtree(runs, ignore_errors=True)
    line = ["-m", f"{folder.name}.train", "--run-dir", str(runs), "--device", given.device]
    line += ["--batch-size", str(min(case.batch, given.most)), "--epochs", str(given.epochs)]
    run(folder, *line, *flags)
    lines = (runs / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    epochs = [r for r in map(json.loads, lines) if r["split"] == "train"]
    speeds: list[float] = [epoch["samples_per_second"] for epoch in epochs]
    return statistics.median(speeds[1:])


def ceilings(device: torch.device) -> str:
    """What the device reaches in bf16 matrix products, and in copies within its memory."""
    side = 8192 if device.type == "cuda" else 512
    a, b = (torch.randn(side, side, device=device, dtype=torch.bfloat16) for _ in range(2))
    source = torch.empty(side * side, device=device)
    target = torch.empty_like(source)

    def seconds(work: Callable[[], object]) -> float:
        for count in (2, 20):  # the first two only warm up
            began = time.perf_counter()
            for _ in range(count):
                work()
            if device.type == "cuda":
                torch.cuda.synchronize()
        return (time.perf_counter() - began) / 20

    flops = 2 * side**3 / seconds(lambda: a @ b) / 1e12
    rate = 2 * 4 * side * side / seconds(lambda: target.copy_(source)) / 1e9
    return f"bf16 matrix products reach {flops:,.0f} TFLOP/s, copies {rate:,.0f} GB/s"


def table(case: Case, scratch: Path, given: argparse.Namespace) -> str:
    """The rows of one model."""
    draw(scratch / f"images{case.size}", case.size)
    rows = [f"| {case.title}, {case.size} x {case.size} | ratio | images/s |", "|---|---|---|"]
    limit = 0.0

    def add(title: str, speed: float) -> None:
        rows.append(f"| {title} | {speed / limit:.2f} | {speed:,.0f} |")
        print(rows[-1], file=sys.stderr)

    for data_format in FORMATS:
        prepare(scratch, data_format, case.size, "--amp", "bf16")
        folder = scratch / f"bench{data_format}{case.size}"
        if case.model:
            shutil.copy(ROOT / "benchmarks" / case.model, folder / folder.name / "model.py")
        if not limit:
            limit = resident(folder, case, given, compiled=False)
            add("a batch that lies on the device", limit)
            add("the same, --compile", resident(folder, case, given, compiled=True))
        all_cores = ("--num-workers", str(max(1, (os.cpu_count() or 2) - 1)))
        own_way = all_cores if data_format == "imagefolder" else ()
        for flags in (own_way, ("--cache", "memory"), ("--cache", "device")):
            add(" ".join([data_format, *flags]), pipeline(folder, case, given, *flags))
    return "\n".join(rows)


def time_to_98(scratch: Path, given: argparse.Namespace) -> str:
    """Seconds from the command to the end of the first epoch with 98 % on the digits."""
    folder = new_project(scratch, "hdf5", "digits", "--amp", "bf16")
    run(folder, "-m", "digits.prepare", "--demo")
    began = time.perf_counter()
    run(folder, "-m", "digits.train", "--run-dir", "runs/a", "--device", given.device)
    took = time.perf_counter() - began
    lines = (folder / "runs/a/metrics.jsonl").read_text(encoding="utf-8").splitlines()
    epochs = [r for r in map(json.loads, lines) if r["split"] == "val"]
    reached = next((r["epoch"] for r in epochs if r["accuracy"] >= 0.98), None)
    return (
        f"The digits: 98 % of the validation images are right after epoch {reached} of "
        f"{len(epochs)}; the whole command took {took:.1f} s."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--most", type=int, default=4096, help="largest batch")
    given = parser.parse_args()
    if given.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("no CUDA device is here; --device cpu tries the script out")
    if given.device == "cpu":
        COUNT.update({32: 640, 224: 64})
        given.most, given.epochs = 16, 2
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        tables = [table(case, scratch, given) for case in CASES]
        digits = time_to_98(scratch, given)
    if given.device == "cpu":  # which is not what the section is about
        print(*tables, digits, sep="\n\n")
        return
    device = torch.device(given.device)
    chip = torch.cuda.get_device_name(device)
    note = f"On {chip}, {versions('torch')}: {ceilings(device)}. {digits}"
    write_section("gpu.py", "Training on a GPU", note, tables)


if __name__ == "__main__":
    main()
