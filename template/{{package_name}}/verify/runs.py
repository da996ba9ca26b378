"""Promises about whole runs: each is a command in processes of its own, on real data."""

import dataclasses
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import torch

from ..engine import checkpoint
from .setup import BATCH, SAMPLES, WHOLE, BrokenPromise, Setup, environment, flags, run

EPOCHS = 4


def train_command(
    setup: Setup, run_dir: Path, *, workers: int = 0, resume: bool = False
) -> list[str]:
    """The command line of a small run with everything in it that a resume must bring back."""
    settings = dataclasses.replace(
        setup.settings,
        **WHOLE,
        run_dir=run_dir,
        max_samples=SAMPLES,
        epochs=EPOCHS,
        batch_size=BATCH,
        accumulate=2,
        num_workers=workers,
        ema_decay=0.0 if setup.settings.swa_from else 0.9,
        checkpoint_every="2",
        deterministic=True,
        report=False,
        resume=resume,
    )
    return setup.command("train", *flags(settings))


def whole_run(setup: Setup) -> Path:
    """The folder of a run that was never stopped; the first caller trains it."""
    run_dir = setup.folder / "whole"
    if not run_dir.exists():
        run(train_command(setup, run_dir))
    return run_dir


def repeats(setup: Setup) -> str:
    """The same command gives the same bits, whatever the number of data workers."""
    again, workers = setup.folder / "again", setup.folder / "workers"
    run(train_command(setup, again))
    compare_runs(whole_run(setup), again, "two runs of one command")
    run(train_command(setup, workers, workers=2))
    compare_runs(whole_run(setup), workers, "runs with 0 and with 2 data workers")
    return "a run, again, and with 2 data workers: equal metrics and checkpoints"


def resumes(setup: Setup) -> str:
    """A run that is killed and resumed ends with the bits of one that was never stopped."""
    run_dir = setup.folder / "killed"
    line = train_command(setup, run_dir, resume=True)
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
    compare_runs(whole_run(setup), run_dir, f"a whole run and one resumed from step {step}")
    return f"killed, resumed from step {step}: equal metrics and checkpoints"


def evaluates(setup: Setup) -> str:
    """What training logged is what `evaluate` finds in the checkpoint."""
    logged = read_metrics(whole_run(setup))[-1]
    last = whole_run(setup) / "checkpoints" / "last.pt"
    part = ("--max-samples", SAMPLES, "--num-workers", 0)
    found = json.loads(run(setup.command("evaluate", last, "--json", *part)))
    samples, expected = found.pop("samples"), len(setup.readers[1])
    for name, value in found.items():
        if value != logged[name]:
            raise BrokenPromise(f"{name}: training logged {logged[name]}, evaluate {value}")
    if samples + found.get("left_out", 0) != expected:
        raise BrokenPromise(f"of {expected} samples, evaluate counted {samples}")
    measured = ", ".join(f"{name} {value:.6f}" for name, value in found.items())
    return f"{measured}, {samples} samples, both times"


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
