"""How long a checkpoint keeps the training waiting: ours, against other ways to write the same.

    python benchmarks/stall.py [--rounds 7] [--width 64 256]

Writes its section of benchmarks/README.md.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from drawn import module_of, new_project, run
from pace import Pace, one_thread, processor, versions
from timing import write_section
from torch.distributed.checkpoint.state_dict_loader import load as load_parts
from torch.distributed.checkpoint.state_dict_saver import async_save
from torch.testing import assert_close

NAME = "stalled"


@dataclass
class Way:
    """One way to write a checkpoint; `save` returns when training may go on."""

    title: str
    save: Callable[[], object]
    finish: Callable[[], object]
    load: Callable[[], Any]
    stalls: Pace = field(default_factory=Pace)
    """In ms, until training may go on."""
    written: Pace = field(default_factory=Pace)
    """In ms, until the file is there."""

    def turn(self, keep: bool) -> None:
        began = time.perf_counter()
        self.save()
        stalled = time.perf_counter()
        self.finish()
        if keep:
            self.stalls.values.append(1000 * (stalled - began))
            self.written.values.append(1000 * (time.perf_counter() - began))


def trained(scratch: Path, width: int) -> Any:
    """A project's trainer after two steps, so that the optimizer has its moments."""
    config = module_of(scratch, NAME, "config").Config(
        data_dir=scratch / NAME / "data", width=width, batch_size=8, num_workers=0, device="cpu"
    )
    trainer = module_of(scratch, NAME, "engine.trainer").Trainer(config, torch.device("cpu"))
    trainer.start()
    for batch, _ in zip(trainer.batches(), range(2), strict=False):
        trainer.step(batch)
    return trainer


def ways(scratch: Path, trainer: Any, saver: Any, folder: Path) -> list[Way]:
    """Ours first; the plainest, which is the base, last."""
    checkpoint = module_of(scratch, NAME, "engine.checkpoint")

    def content() -> Any:
        return trainer.state.to_plain(trainer.config, trainer.facts)

    def to_file(*, sync: bool) -> None:
        part = folder / "part.pt"
        with part.open("wb") as file:
            torch.save(content(), file)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, folder / "plain.pt")

    def plain() -> Any:
        return torch.load(folder / "plain.pt", weights_only=True)["model"]

    pending: list[Any] = []

    def weights() -> Any:
        state = trainer.state
        return {"model": state.model.state_dict(), "optimizer": state.optimizer.state_dict()}

    def load_distributed() -> Any:
        found = {"model": {k: torch.empty_like(v) for k, v in weights()["model"].items()}}
        load_parts(found, checkpoint_id=folder / "distributed", no_dist=True)
        return found["model"]

    def nothing() -> None:
        pass

    return [
        Way(
            "**ours**",
            lambda: saver.save(content()),
            saver.finish,
            lambda: checkpoint.load(folder / "last.pt")["model"],
        ),
        Way(
            "torch.distributed.checkpoint, `async_save`",
            lambda: pending.append(async_save(weights(), checkpoint_id=folder / "distributed")),
            lambda: pending.pop().result(),
            load_distributed,
        ),
        Way("`torch.save`, fsync, rename", lambda: to_file(sync=True), nothing, plain),
        Way("`torch.save`, rename", lambda: to_file(sync=False), nothing, plain),
    ]


def table(scratch: Path, width: int, rounds: int) -> str:
    """The rows for one size of model."""
    trainer = trained(scratch, width)
    folder = scratch / f"checkpoints{width}"
    folder.mkdir()
    with module_of(scratch, NAME, "engine.checkpoint").Saver(folder) as saver:
        found = ways(scratch, trainer, saver, folder)
        for number in range(rounds + 1):  # the first only warms up
            for way in found:
                way.turn(number > 0)
        for way in found:
            assert_close(way.load(), trainer.state.model.state_dict(), rtol=0, atol=0)
    size = (folder / "last.pt").stat().st_size / 1e6
    base = found[-1].stalls
    rows = [
        f"| a state of {size:,.0f} MB | training waits, ratio | ms | lowest to highest "
        "| until it is written, ms | lowest to highest |",
        "|---" * 6 + "|",
    ]
    rows += [
        f"| {w.title} | {w.stalls.against(base)} | {w.stalls.cells()} | {w.written.cells()} |"
        for w in found
    ]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--width", type=int, nargs="+", default=[64, 256])
    given = parser.parse_args()
    one_thread()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        store = f"file://{scratch / 'store'}"
        dist.init_process_group("gloo", init_method=store, rank=0, world_size=1)
        folder = new_project(scratch, "hdf5", NAME, "--logger", "none")
        run(folder, "-m", f"{NAME}.prepare", "--demo")
        module_of(scratch, NAME, "base.memory").keep_freed()  # as every command of a project does
        tables = [table(scratch, width, given.rounds) for width in given.width]
        dist.destroy_process_group()
    note = (
        f"{processor()}; {versions('torch')}. {given.rounds} rounds in turn, on one thread. The "
        "state: weights, the optimizer's moments, and what a resume needs beside them. Ours copies "
        "it in memory; a thread hashes it, writes it, syncs it, and moves it into place; the "
        "checkpoint before stays as `previous.pt`. `async_save` copies too, and writes in a "
        "thread without a hash. The others write before training goes on. All were shown to hold "
        "the same weights. The process keeps what it frees, as a project's commands do, for all "
        "ways alike."
    )
    write_section("stall.py", "Checkpoints", note, tables)


if __name__ == "__main__":
    main()
