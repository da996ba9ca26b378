"""What each of two ranks does for test_ranks.py: torchrun starts it with the data and a folder."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from toy.base import distributed
from toy.base.errors import DataError, UserError
from toy.base.signals import StopSignal
from toy.config import Config
from toy.engine import checkpoint
from toy.engine.trainer import Trainer
from toys import (
    SETTINGS,
    at_pass,
    do_steps,
    make_trainer,
    read_checkpoint,
    run_folder,
    train,
    write_data,
)

SAMPLES = (1, 2, 5, 15, 17)
LAST = distributed.WORLD_SIZE - 1


class Crash(Exception):
    """Ends a run with nothing said and nothing saved."""


def crash() -> None:
    raise Crash


def stop() -> None:
    if distributed.RANK == LAST:
        signal.raise_signal(signal.SIGTERM)


def evaluations(data: Path, folder: Path) -> list[dict[str, float]]:
    """The metrics of so many samples, of which a rank may have none."""
    found = []
    for count in SAMPLES:
        own = folder / f"of {count}"
        distributed.run_on_main(lambda own=own, count=count: write_data(own, val=count))
        found.append(make_trainer(own).evaluate())
    return found


def steps(data: Path, folder: Path) -> list[list[int]]:
    """Two steps, a checkpoint and two more, of a model whose batch norm has fixed statistics."""
    trainer = make_trainer(data)
    trainer.module.eval()
    indices = [batch.indices.tolist() for batch in trainer.batches()]
    for name in ("two", "four"):
        do_steps(trainer, 2)
        checkpoint.save(folder / name, trainer.state_dict(), best=False)
    return indices


def uneven(data: Path, folder: Path) -> list[Any]:
    """Loss and norm of a step of 7 samples; what `read` says once the last rank had a bad one."""
    trainer = make_trainer(data, batch_size=7)
    trainer.module.eval()
    do_steps(trainer, 1)
    found = [trainer.read(), trainer.sums.sums["grad_norm"].item()]
    trainer.first_bad += 3 * (distributed.RANK == LAST)
    try:
        return [*found, str(trainer.read())]
    except UserError as error:
        return [*found, str(error)]


def draws(data: Path, folder: Path) -> list[float]:
    """What dropout would draw in the middle of a step."""
    trainer, found = make_trainer(data), list[float]()
    with at_pass(1, lambda: found.extend(torch.rand(4).tolist())):
        do_steps(trainer, 1)
    return found


def reductions(data: Path, folder: Path) -> list[int]:
    """How often something is summed over the ranks in a step of one pass, and of two."""
    found = []
    for accumulate in (1, 2):
        trainer = make_trainer(data, accumulate=accumulate)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            do_steps(trainer, 1)
        found.append(sum("reduce" in event.name for event in profile.events()))
    return found


def averages(data: Path, folder: Path) -> dict[str, float]:
    """The metrics of the averaged weights, which have changed since another evaluation."""
    trainer = make_trainer(data, ema_decay=0.5)
    for _ in range(2):
        do_steps(trainer, 1)
        metrics = trainer.evaluate()
    checkpoint.save(folder / "averaged", trainer.state_dict(), best=False)
    return metrics


def exchanges(data: Path, folder: Path) -> list[Any]:
    """What comes of a rank's own values, and of an error of rank 0."""
    rank = distributed.RANK

    def fail() -> None:
        raise DataError("no data")

    found: list[Any] = [distributed.all_gather(rank)]
    found.append(distributed.run_on_main(lambda: rank))
    try:
        distributed.run_on_main(fail)
    except DataError as error:
        found.append(str(error))
    delayed = distributed.DelayedMax()
    return [*found, [delayed(15 if rank == LAST and call > 0 else 0) for call in range(5)]]


def runs(data: Path, folder: Path) -> dict[str, list[int]]:
    """A run, and some that are disturbed and resumed: exit codes, and the step in between."""

    def run(name: str, **settings: Any) -> int:
        config = Config(data_dir=data, run_dir=folder / name, **SETTINGS | settings)
        trainer = Trainer(config, torch.device("cpu"))
        try:
            return train.train(config, trainer.device, trainer, StopSignal())
        finally:
            while run_folder._locks:
                run_folder._locks.pop().close()

    def disturbed(name: str, act: Callable[[], None], number: int, *, training: bool) -> list[int]:
        code = -1
        try:
            with at_pass(number, act, training=training):
                code = run(name, checkpoint_every="2")
        except Crash:
            pass
        step = distributed.run_on_main(lambda: read_checkpoint(folder / name)["progress"]["step"])
        return [code, step, run(name, checkpoint_every="2", resume=True)]

    return {
        "whole": [run("whole")],
        "stopped": disturbed("stopped", stop, 4, training=True),
        "stopped in evaluation": disturbed("stopped in evaluation", stop, 1, training=False),
        "killed": disturbed("killed", crash, 6, training=True),
    }


def main(data: Path, folder: Path) -> None:
    found = {}
    with distributed.process_group("cpu"):
        for act in (evaluations, steps, uneven, draws, reductions, averages, exchanges, runs):
            found[act.__name__] = act(data, folder)
    (folder / f"rank{distributed.RANK}.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
