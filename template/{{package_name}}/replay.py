"""Do any past step of a run again, bit for bit, and look into it.

Start it with as many processes as the run had. Of a run whose loss was not finite, it names the
module where that began.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from .base import cli, distributed
from .base.cli import Settings, require
from .base.seeds import set_deterministic
from .verify.rewind import compare, describe, do_step, go_before, settings_of


@dataclass(frozen=True)
class ReplayConfig(Settings):
    """Compute a past optimizer step again, and show its samples, loss and gradients."""

    run: Annotated[Path, tyro.conf.Positional]
    """Folder of the run, as runs/first."""
    step: int
    """The optimizer step, from 1, as metrics.jsonl and error messages count them."""
    data_dir: Path | None = None
    """Folder of the data; by default that of the run."""
    device: str | None = None
    """cpu, cuda, cuda:1, mps, ...; by default that of the run, since bits depend on it."""
    num_workers: int | None = None
    """Processes that load data; by default as many as the run had."""
    json: bool = False
    """Print one JSON object."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "step", self.step >= 1, "at least 1")


def main() -> int:
    """Replay and print; returns 1 where a checkpoint shows that the bits came out differently."""
    config = cli.parse(ReplayConfig)
    given = {name: getattr(config, name) for name in ("data_dir", "device", "num_workers")}
    settings = settings_of(config.run, config.step, **given)
    set_deterministic(settings.deterministic)
    with distributed.process_group(settings.device) as device:
        trainer, start = go_before(settings, device, config.run, config.step)
        try:
            found = do_step(trainer)
            found |= {"from": start, "same_bits_as": compare(trainer, config.run)}
        finally:
            trainer.close()
    if distributed.RANK == 0:
        print(json.dumps(found) if config.json else describe(found))
    return 0 if all(found["same_bits_as"].values()) else 1


if __name__ == "__main__":
    cli.run(main)
