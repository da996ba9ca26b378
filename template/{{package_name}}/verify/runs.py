"""Promises about whole runs: each is a command in processes of its own, on your data."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import torch

from ..config import MAY_CHANGE
from ..engine import checkpoint
from .setup import PROCESSES, SAMPLES, BrokenPromise, Setup


def whole_run(setup: Setup) -> Path:
    """The folder of a run that was never stopped; the first caller trains it."""
    run_dir = setup.folder / "whole"
    if not run_dir.exists():
        setup.run(setup.train(run_dir))
    return run_dir


def repeats(setup: Setup) -> str:
    """The same command gives the same bits, whatever the number of data workers."""
    workers = setup.folder / "workers"
    setup.run(setup.train(workers, num_workers=2))
    compare_runs(whole_run(setup), workers, "a run, and one with 2 data workers")
    return "a run, and again with 2 data workers: equal metrics and checkpoints"


def resumes(setup: Setup) -> str:
    """A run that is killed and resumed ends with the bits of one that was never stopped."""
    run_dir = setup.folder / "killed"
    line = setup.train(run_dir, "--resume")
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(line, env=setup.environment(), stdout=quiet, stderr=quiet)
    last = run_dir / "checkpoints" / "last.pt"
    while not last.exists() and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.wait()
    if not last.exists():
        setup.run(line)  # says why, where it fails
        raise BrokenPromise("a run with --checkpoint-every 2 ended without a checkpoint")
    step = checkpoint.load(last)["progress"]["step"]
    setup.run(line)
    compare_runs(whole_run(setup), run_dir, f"a whole run and one resumed from step {step}")
    return f"killed, resumed from step {step}: equal metrics and checkpoints"


def evaluates(setup: Setup) -> str:
    """What training logged is what `evaluate` finds in the checkpoint."""
    logged = read_metrics(whole_run(setup))[-1]
    last = whole_run(setup) / "checkpoints" / "last.pt"
    part = ("--max-samples", SAMPLES, "--num-workers", 0)
    found = json.loads(setup.run(setup.command("evaluate", last, "--json", *part)))
    samples = found.pop("samples")
    for name, value in found.items():
        if value != logged[name]:
            raise BrokenPromise(f"{name}: training logged {logged[name]}, evaluate {value}")
    if samples != setup.val_samples:
        raise BrokenPromise(f"of {setup.val_samples} samples, evaluate counted {samples}")
    measured = ", ".join(f"{name} {value:.6f}" for name, value in found.items())
    return f"{measured}, {samples} samples, both times"


def ranks_agree(setup: Setup) -> str:
    """Several processes find the metrics that one process does, and count no sample twice."""
    last = whole_run(setup) / "checkpoints" / "last.pt"
    part = ("--json", "--max-samples", SAMPLES - 1, "--num-workers", 0)
    several, alone = (
        json.loads(setup.run(setup.command("evaluate", last, *part, processes=count)))
        for count in (PROCESSES, 1)
    )
    for name, value in alone.items():
        if abs(several[name] - value) > 1e-4 * abs(value):  # rounding is less
            raise BrokenPromise(f"{name}: one process finds {value}, {PROCESSES} {several[name]}")
    return f"1 and {PROCESSES} processes: the same metrics of {alone['samples']} samples"


def read_metrics(run_dir: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl, but for the one number that is a matter of the clock."""
    lines = (run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [{k: v for k, v in r.items() if k != "samples_per_second"} for r in records]


def compare_runs(one: Path, other: Path, what: str) -> None:
    """Two runs must have ended with the same numbers and tensors, to the bit."""
    for a, b in zip(read_metrics(one), read_metrics(other), strict=True):
        if a != b:
            raise BrokenPromise(f"{what} differ: metrics.jsonl has {a} and {b}")
    for name in ("last.pt", "best.pt"):
        first, second = (checkpoint.load(folder / "checkpoints" / name) for folder in (one, other))
        for state in (first, second):
            state["config"] = {k: v for k, v in state["config"].items() if k not in MAY_CHANGE}
        if found := differences(first, second):
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            raise BrokenPromise(f"{what} differ: {name} in {found[0]}{more}")


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """The places where two checkpoints differ."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return [] if torch.equal(a.nan_to_num(), b.nan_to_num()) else [where]
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [place for key in a for place in differences(a[key], b[key], f"{where}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [place for i, (x, y) in pairs for place in differences(x, y, f"{where}/{i}")]
    same = a == b or (a != a and b != b)  # one NaN is as good as another
    return [] if same else [f"{where} ({a} and {b})"]
