"""Classify image files."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import tyro

from .base import cli
from .base.cli import Settings, require
from .base.device import pick_device
from .base.errors import DataError, FlagError, UserError
from .data.images import find_images, read
from .engine.trained import load_trained


@dataclass(frozen=True)
class PredictConfig(Settings):
    """Print the prediction for each image."""

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    images: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Image files, in any format that Pillow reads, and folders of them."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""
    batch_size: int = 64
    """Images at a time."""
    json: bool = False
    """Print one JSON object."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "batch_size", self.batch_size >= 1, "at least 1")
        if not self.images:
            raise FlagError("give image files, or folders of them, after the checkpoint")


def main() -> int:
    """Load, predict, print; returns 1 if an image could not be read."""
    config = cli.parse(PredictConfig)
    trained = load_trained(config.checkpoint, pick_device(config.device))
    shape, dtype = trained.info.shape, trained.info.dtype
    files, results, errors = find_images(config.images), [], []
    for start in range(0, len(files), config.batch_size):
        names: list[str] = []
        images: list[np.ndarray] = []
        for path in files[start : start + config.batch_size]:
            try:
                images.append(read(str(path), shape[:2] if len(shape) == 3 else None))
                names.append(str(path))
            except DataError as error:
                errors.append(str(error))
        if images and (images[0].shape, images[0].dtype) != (shape, dtype):
            found = f"{images[0].dtype} {images[0].shape}"
            raise UserError(f"the model takes {dtype} {shape}, but images are read as {found}")
        if images:
            outputs = trained.predict(torch.from_numpy(np.stack(images)))
            predictions = trained.task.predictions(outputs)
            results += [{"image": name} | p for name, p in zip(names, predictions, strict=True)]
    if config.json and results:
        print(json.dumps({"predictions": results}))
    elif results:
        print("\n".join(f"{r['image']}: {trained.task.format_prediction(r)}" for r in results))
    for message in errors:
        print(f"error: {message}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    cli.run(main)
