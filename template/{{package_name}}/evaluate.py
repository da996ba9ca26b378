"""Measure a checkpoint, every sample counted once."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from .base import cli, distributed
from .base.cli import require
from .data.loader import BatchDataset, EvalSampler, Subset, close, make_loader
from .engine.trained import load_trained, open_data
from .engine.trainer import evaluate


@dataclass(frozen=True)
class EvaluateConfig:
    """Print the metrics of a checkpoint."""

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    data_dir: Path | None = None
    """Folder of the data; by default that of the run."""
    split: Literal["val", "test", "train"] = "val"
    """Part of the data."""
    max_samples: int | None = None
    """Use only this many samples, for a quick check."""
    num_workers: int = 2
    """Processes that load data; 0 loads in the main process."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""
    json: bool = False
    """Print one JSON object."""

    def __post_init__(self) -> None:
        require(self, "num_workers", self.num_workers >= 0, "at least 0")
        require(self, "max_samples", self.max_samples is None or self.max_samples > 0, "at least 1")


def main() -> None:
    """Load, evaluate, print."""
    config = cli.parse(EvaluateConfig)
    with distributed.process_group(config.device) as device:
        trained = load_trained(config.checkpoint)
        module = distributed.place(trained.module, device)
        reader = open_data(trained, config.data_dir, config.split)
        data = Subset(reader, config.max_samples or len(reader))
        sampler = EvalSampler(len(data), trained.config.batch_size)
        loader = make_loader(BatchDataset(data), sampler, workers=config.num_workers, device=device)
        metrics = evaluate(module, loader, trained.config, device)
        close(loader)
    if distributed.RANK == 0:
        if config.json:
            print(json.dumps(metrics | {"samples": len(data)}))
        else:
            values = " ".join(f"{name} {value:.4f}" for name, value in metrics.items())
            print(f"{config.split} {values} · {len(data):,} samples")


if __name__ == "__main__":
    cli.run(main)
