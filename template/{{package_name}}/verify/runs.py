"""Promises about whole runs: each is a command in processes of its own, on real data."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import torch

from .. import checkpoint
from .ground import BATCH, VAL, BrokenPromise, Ground, environment, run

EPOCHS = 4


def train_command(ground: Ground, run_dir: Path, *flags: object) -> list[str]:
    """The command line of a small run with everything in it that a resume must bring back."""
    return ground.command(
        "train",
        *("--data-dir", ground.folder / "data", "--run-dir", run_dir),
        *("--epochs", EPOCHS, "--batch-size", BATCH, "--accumulate", 2, "--num-workers", 0),
        *("--ema-decay", 0.9, "--dropout", 0.1, "--checkpoint-every", 2, "--deterministic"),
        *flags,
    )


def whole_run(ground: Ground) -> Path:
    """The folder of a run that was never stopped; the first caller trains it."""
    run_dir = ground.folder / "whole"
    if not run_dir.exists():
        run(train_command(ground, run_dir))
    return run_dir


def repeats(ground: Ground) -> str:
    """The same command gives the same bits, whatever the number of data workers."""
    again, workers = ground.folder / "again", ground.folder / "workers"
    run(train_command(ground, again))
    compare_runs(whole_run(ground), again, "two runs of one command")
    run(train_command(ground, workers, "--num-workers", 2))
    compare_runs(whole_run(ground), workers, "runs with 0 and with 2 data workers")
    return "a run, again, and with 2 data workers: equal metrics and checkpoints"


def resumes(ground: Ground) -> str:
    """A run that is killed and resumed ends with the bits of one that was never stopped."""
    run_dir = ground.folder / "killed"
    line = train_command(ground, run_dir, "--resume")
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(line, env=environment(), stdout=quiet, stderr=quiet)
    last = run_dir / "checkpoints" / "last.pt"
    while not last.exists() and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.wait()
    if not last.exists():
        run(line)  # says why, where it fails
        raise BrokenPromise("a run with --checkpoint-every 2 ended without a checkpoint")
    step = checkpoint.load(last)["progress"]["step"]
    run(line)
    compare_runs(whole_run(ground), run_dir, f"a whole run and one resumed from step {step}")
    return f"killed, resumed from step {step}: equal metrics and checkpoints"


def evaluates(ground: Ground) -> str:
    """What training logged is what `evaluate` finds in the checkpoint."""
    logged = read_metrics(whole_run(ground))[-1]
    last = whole_run(ground) / "checkpoints" / "last.pt"
    said = run(ground.command("evaluate", last, "--json", "--num-workers", 0))
    found = json.loads(said)
    for name in ("loss", "accuracy"):
        if found[name] != logged[name]:
            raise BrokenPromise(f"{name}: training logged {logged[name]}, evaluate {found[name]}")
    if found["samples"] != VAL:
        raise BrokenPromise(f"of {VAL} samples, evaluate counted {found['samples']}")
    return f"loss {found['loss']:.6f}, accuracy {found['accuracy']:.4f}, {VAL} samples, both times"


def read_metrics(run_dir: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl, but for the one number that is a matter of the clock."""
    lines = (run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [{k: v for k, v in r.items() if k != "samples_per_second"} for r in records]


def compare_runs(one: Path, other: Path, what: str) -> None:
    """Two runs must have ended with the same numbers and tensors, to the last bit."""
    pairs = zip(read_metrics(one), read_metrics(other), strict=False)
    for a, b in pairs:
        if a != b:
            raise BrokenPromise(f"{what} differ: metrics.jsonl has {a} and {b}")
    for name in ("last.pt", "best.pt"):
        a, b = (checkpoint.load(folder / "checkpoints" / name) for folder in (one, other))
        if found := differences(a, b):
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            raise BrokenPromise(f"{what} differ: {name} in {found[0]}{more}")


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """The places where two checkpoints differ."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return [] if torch.equal(a, b) else [where]
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [place for key in a for place in differences(a[key], b[key], f"{where}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [place for i, (x, y) in pairs for place in differences(x, y, f"{where}/{i}")]
    return [] if a == b else [f"{where} ({a} and {b})"]
