"""A picture of a training batch as the model sees it, with all random changes, and its targets.

It takes the flags of `train`.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..base import cli, distributed
from ..base.cli import require
from ..base.errors import FlagError
from ..config import Config
from ..data.loader import Batch
from ..engine.trainer import Trainer
from .pictures import check_shape, panels, to_picture


@dataclass(frozen=True)
class ShowConfig(Config):
    """Draw a training batch as the model sees it: augmented, with its targets."""

    output: Path = Path("batch.png")
    """File to write, in any format that matplotlib knows: .png, .pdf, .svg."""
    step: int = 0
    """Optimizer step whose batch to show, from 0."""
    samples: int = 32
    """Samples to show at most."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "step", self.step >= 0, "at least 0")
        require(self, "samples", self.samples >= 1, "at least 1")


def main() -> None:
    """Read the batch, and draw it."""
    config = cli.parse(ShowConfig)
    with distributed.process_group(config.device) as device:
        trainer = Trainer(replace(config, num_workers=0), device)
        check_shape(trainer.info.shape)
        batch = batch_at(trainer, config.step)
    some = Batch(*(part[: config.samples] for part in batch))
    draw(some, trainer.info.classes, config.output)
    print(f"{config.output} shows {len(some.indices)} of the {len(batch.indices)} samples")


def batch_at(trainer: Trainer, step: int) -> Batch:
    """What a step of a new run trains on."""
    steps, progress = trainer.steps_per_epoch, trainer.progress
    if step >= (total := trainer.config.total_steps(steps)):
        raise FlagError(f"--step {step} is beyond the run, whose last step is {total - 1}")
    progress.step, progress.epoch = step, step // steps
    return next(trainer.batches())


def describe(target: np.ndarray, classes: list[str]) -> str:
    """A target in words: its class, the share of each, or its numbers; none for a mask."""
    if target.ndim == 0 and target.dtype.kind in "iu" and classes:
        return classes[int(target)]
    if target.ndim > 1:
        return ""
    values = np.atleast_1d(target).tolist()
    if len(values) == len(classes) and all(0 <= value <= 1 for value in values):
        named = sorted(zip(values, classes, strict=True), reverse=True)
        shares = ((name if value == 1 else f"{name}: {value:.2g}", value) for value, name in named)
        return ", ".join(words for words, value in shares if value >= 0.05)
    return ", ".join(f"{value:.4g}" for value in values)


def draw(batch: Batch, classes: list[str], path: Path) -> None:
    """Draw each sample with its target above it."""
    with panels(path, len(batch.inputs), 1) as axes:
        for panel, values, target in zip(axes.flat, batch.inputs, batch.targets, strict=False):
            panel.imshow(to_picture(values.cpu().numpy()), cmap="gray", vmin=0, vmax=1)
            panel.set_title(describe(target.cpu().numpy(), classes))


if __name__ == "__main__":
    cli.run(main)
