"""The package `toy`, which the tests of the machinery run, and what they do with it.

It is a copy of your package with the files of `toy/` in place of yours. What only your files have,
such as a function that your train.py needs, is found there all the same.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch.nn.modules.module import register_module_forward_hook

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = next(ROOT.glob("*/engine/trainer.py")).parents[1]
CPU = torch.device("cpu")

FALLBACK = """

def __getattr__(name):  # what only your own file has
    from . import your_{name}

    return getattr(your_{name}, name)
"""


def make_toy() -> Path:
    """Write the package `toy` into a new folder, which this process and its commands import."""
    folder = Path(tempfile.mkdtemp(prefix="toy-package-"))
    toy, files = folder / "toy", Path(__file__).parent / "toy"
    no_cache = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, toy, ignore=no_cache)
    for name in ("model", "task", "augment", "optim"):
        (toy / f"{name}.py").rename(toy / f"your_{name}.py")
    shutil.copytree(files, toy, ignore=no_cache, dirs_exist_ok=True)
    for name in ("model", "task", "augment", "optim"):
        with (toy / f"{name}.py").open("a", encoding="utf-8") as file:
            file.write(FALLBACK.format(name=name))
    sys.path.insert(0, str(folder))
    known = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = str(folder) + (os.pathsep + known if known else "")
    os.environ["TOY_PACKAGE"] = str(folder)
    return folder


# a process that a test has started imports what its parent does
INHERITED = "TOY_PACKAGE" in os.environ
TOY = Path(os.environ["TOY_PACKAGE"]) if INHERITED else make_toy()

from toy import train  # noqa: E402
from toy.base import distributed, signals  # noqa: E402
from toy.config import MAY_CHANGE, Config  # noqa: E402
from toy.engine import run as run_folder  # noqa: E402
from toy.engine.trainer import Trainer  # noqa: E402
from toy.model import Toy  # noqa: E402

# a run small enough to repeat many times: 48 samples, so 6 steps per epoch
SETTINGS: dict[str, Any] = {
    "batch_size": 8,
    "epochs": 2,
    "num_workers": 0,
    "device": "cpu",
    "amp": "off",
}
if "report" in {field.name for field in fields(Config)}:
    SETTINGS["report"] = False
STEPS = 6  # per epoch
# several processes agree at the next step on what one of them wants
DELAY = 1 if hasattr(distributed, "dist") else 0


def flags(settings: dict[str, Any]) -> list[str]:
    """The settings as flags of `train`."""
    found = []
    for name, value in settings.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            found.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            found += [f"--{flag}", str(value)]
    return found


def command(module: str, *arguments: object) -> list[str]:
    """The command line that runs a module of the toy with these arguments."""
    return [sys.executable, "-m", f"toy.{module}", *map(str, arguments)]


def environment() -> dict[str, str]:
    """The environment of a command: one thread, no terminal's width."""
    return os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "100"}


def run(module: str, *arguments: object, exits: int = 0) -> str:
    """Run a command of the toy; returns all that it printed."""
    return execute(command(module, *arguments), exits)


def execute(line: list[str], exits: int = 0) -> str:
    """Run a command line, which must exit with the given code; returns all that it printed."""
    done = subprocess.run(
        line,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == exits, f"{line} exited with {done.returncode}:\n{done.stdout}"
    return done.stdout


def call(module: ModuleType, *arguments: object) -> int:
    """Run a command in this process, without the seconds that a new one takes.

    Returns its exit code, raises its errors, and leaves this process as it was.
    """
    grouped = in_group()
    if grouped:  # a command starts a group of its own
        leave_run()
    given, sys.argv = sys.argv, [str(module.__file__), *map(str, arguments)]
    handlers = {number: signal.getsignal(number) for number in signals.STOP}
    try:
        return module.main() or 0
    finally:
        sys.argv = given
        for number, handler in handlers.items():
            signal.signal(number, handler)
        leave_run()
        if grouped:
            distributed.process_group("cpu").__enter__()


def leave_run() -> None:
    """Give up what a process keeps until it ends: the lock of a run's folder, its group."""
    for file in run_folder._locks:
        file.close()
    run_folder._locks.clear()
    if in_group():
        # gloo's destructor waits for ever for a thread that still has to release a tensor
        torch.distributed.all_reduce(torch.zeros(()))
        time.sleep(0.1)
        torch.distributed.destroy_process_group()


def in_group() -> bool:
    """Whether this process is a rank; never without DDP or FSDP."""
    return torch.distributed.is_available() and torch.distributed.is_initialized()


@contextmanager
def only_rank() -> Iterator[None]:
    """What a trainer needs: with DDP and FSDP, this process as the only rank."""
    try:
        with distributed.process_group("cpu"):
            yield
    finally:
        leave_run()


def train_here(data_dir: Path, run_dir: Path, **settings: Any) -> int:
    """Train the toy by `call`, with a small run's settings and these; returns the exit code."""
    return call(train, *flags({"data_dir": data_dir, "run_dir": run_dir, **SETTINGS, **settings}))


def make_trainer(data_dir: Path, saved: Any = None, **settings: Any) -> Trainer:
    """A run ready for its next step: its first, or the one after a checkpoint's content.

    A test that calls it needs the fixture `process_group`.
    """
    trainer = Trainer(Config(data_dir=data_dir, **SETTINGS | settings), CPU)
    if saved is not None:
        trainer.load_state_dict(saved)
    return trainer


def do_steps(trainer: Trainer, count: int) -> None:
    """Do the next optimizer steps, with no evaluation in between."""
    progress = trainer.progress
    for _ in range(count):
        progress.epoch = progress.step // trainer.steps_per_epoch
        trainer.step(next(trainer.batches()))


@contextmanager
def at_pass(
    number: int, act: Callable[[], object], *, training: bool = True
) -> Iterator[list[torch.Tensor]]:
    """Do something after the model's pass `number` (from 1), in training or evaluation.

    Yields a list that fills with the inputs of every such pass.
    """
    passes: list[torch.Tensor] = []

    def look(module: torch.nn.Module, inputs: tuple[torch.Tensor], _: object) -> None:
        # DDP prepares by a pass in evaluation mode that has gradients
        if isinstance(module, Toy) and module.training == training == torch.is_grad_enabled():
            passes.append(inputs[0])
            if len(passes) == number:
                act()

    handle = register_module_forward_hook(look)
    try:
        yield passes
    finally:
        handle.remove()


def write_data(folder: Path, *, train: int = 48, val: int = 15, seed: int = 0) -> Path:
    """Write data for the toy: this many samples to train on and to validate."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    for split, count in (("train", train), ("val", val)):
        inputs = random.integers(1, 100, (count, 6), dtype=np.int16)
        targets = np.stack([inputs[:, :3].sum(1), inputs[:, 3:].sum(1)], axis=1) / 150
        np.savez(folder / f"{split}.npz", inputs=inputs, targets=targets.astype(np.float32))
    return folder


def spoil(data: Path, folder: Path, train: Sequence[int], val: Sequence[int] = ()) -> Path:
    """The toy's data once more, in a folder where these samples cannot be read."""
    folder.mkdir(exist_ok=True)
    for split, bad in (("train", train), ("val", val)):
        with np.load(data / f"{split}.npz") as arrays:
            inputs, targets = arrays["inputs"], arrays["targets"]
        inputs[list(bad), 0] = -1  # see the reader
        np.savez(folder / f"{split}.npz", inputs=inputs, targets=targets)
    return folder


def differences(a: object, b: object, where: str = "") -> list[str]:
    """The places where two checkpoints differ, to the bit."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        same = a.dtype == b.dtype and torch.equal(a.nan_to_num(), b.nan_to_num())
        return [] if same else [where]
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [place for key in a for place in differences(a[key], b[key], f"{where}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [place for i, (x, y) in pairs for place in differences(x, y, f"{where}/{i}")]
    same = a == b or (a != a and b != b)  # one NaN is as good as another
    return [] if same else [f"{where}: {a} and {b}"]


def read_lines(run_dir: Path, name: str = "metrics.jsonl") -> list[dict[str, Any]]:
    """The lines of metrics.jsonl or steps.jsonl, but for the time that they took."""
    lines = [json.loads(line) for line in (run_dir / name).read_text().splitlines()]
    return [{k: v for k, v in line.items() if k != "samples_per_second"} for line in lines]


def read_checkpoint(run_dir: Path, name: str = "last.pt") -> dict[str, Any]:
    """A checkpoint of a run, as plain torch reads it."""
    return torch.load(run_dir / "checkpoints" / name, weights_only=True)


def assert_same_run(one: Path, other: Path) -> None:
    """Two runs ended with the same numbers, in metrics and checkpoints, to the bit."""
    assert read_lines(one) == read_lines(other)
    for name in ("last.pt", "best.pt"):
        a, b = (read_checkpoint(run, name) for run in (one, other))
        for state in (a, b):
            for setting in MAY_CHANGE:
                del state["config"][setting]
        found = differences(a, b)
        assert not found, f"{name}: {found}"
