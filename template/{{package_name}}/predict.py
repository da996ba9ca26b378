"""Classify image files."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro

from .base import cli
from .base.cli import require
from .base.device import pick_device
from .base.errors import FlagError, UserError
from .data.images import read
from .engine.trained import load_trained


@dataclass(frozen=True)
class PredictConfig:
    """Print the prediction for each image."""

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    images: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Image files, in any format that Pillow reads."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""
    batch_size: int = 64
    """Images at a time."""
    json: bool = False
    """Print one JSON object."""

    def __post_init__(self) -> None:
        require(self, "batch_size", self.batch_size >= 1, "at least 1")
        if not self.images:
            raise FlagError("give image files after the checkpoint")


def main() -> None:
    """Load, predict, print."""
    config = cli.parse(PredictConfig)
    trained = load_trained(config.checkpoint, pick_device(config.device))
    results: list[dict[str, Any]] = []
    info = trained.info
    size = info.shape[:2] if len(info.shape) == 3 else None
    for start in range(0, len(config.images), config.batch_size):
        paths = config.images[start : start + config.batch_size]
        images = np.stack([read(str(path), size) for path in paths])
        given, needed = f"{images.dtype} {images.shape[1:]}", f"{info.dtype} {info.shape}"
        if given != needed:
            raise UserError(f"the model takes {needed}, but images are read as {given}")
        predictions = trained.task.predictions(trained.predict(torch.from_numpy(images)))
        results += [{"image": str(p)} | found for p, found in zip(paths, predictions, strict=True)]
    if config.json:
        print(json.dumps({"predictions": results}))
    else:
        print("\n".join(f"{r['image']}: {trained.task.format_prediction(r)}" for r in results))


if __name__ == "__main__":
    cli.run(main)
