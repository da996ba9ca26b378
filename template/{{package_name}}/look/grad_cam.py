"""Which part of an image a prediction rests on.

Grad-CAM (Selvaraju et al., Grad-CAM: Visual Explanations from Deep Networks, 2017): the feature
maps of a layer, weighted by how much each of them raises the score of a class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import tyro
from torch import nn

from ..base import cli
from ..base.cli import Settings
from ..base.device import pick_device
from ..base.errors import FlagError, UserError
from ..data.images import read
from ..engine.trained import load_trained
from .capture import capture
from .pictures import check_shape, panels, to_picture


@dataclass(frozen=True)
class CamConfig(Settings):
    """Draw which part of each image speaks for its prediction, or for another class."""

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    images: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Image files, and folders of them."""
    layer: str | None = None
    """Name of a layer with feature maps, as in named_modules; by default the last one."""
    target: str | None = None
    """Class to explain, by its name or number; by default the one with the highest output."""
    output: Path = Path("grad_cam.png")
    """File to write, in any format that matplotlib knows: .png, .pdf, .svg."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.images:
            raise FlagError("name at least one image file")


def main() -> None:
    """Load, predict, draw."""
    config = cli.parse(CamConfig)
    trained = load_trained(config.checkpoint, pick_device(config.device))
    check_shape(trained.info.shape)
    number = class_number(config.target, trained.info.classes)
    height, width, _ = trained.info.shape
    images = np.stack([read(str(path), (height, width)) for path in config.images])
    inputs = torch.from_numpy(images).to(trained.device)
    heat = heat_maps(trained.model, inputs, config.layer, number)
    if not heat.any():
        raise UserError("nothing in these images speaks for that class: the maps are empty")
    predictions = trained.task.predictions(trained.predict(inputs))
    words = [trained.task.format_prediction(prediction) for prediction in predictions]
    titles = [f"{path.name}\n{text}" for path, text in zip(config.images, words, strict=True)]
    draw(images, heat, titles, config.output)
    count = len(config.images)
    print(f"{config.output} shows {count} images, and below each what its prediction rests on")


def class_number(word: str | None, classes: Sequence[str]) -> int | None:
    """The number of the output that --target names; raises FlagError."""
    if word is None or word in classes:
        return None if word is None else list(classes).index(word)
    if word.isdecimal():
        return int(word)
    raise FlagError(f"--target {word}: there is no such class; there are {', '.join(classes[:9])}")


def heat_maps(
    model: nn.Module, inputs: torch.Tensor, layer: str | None, number: int | None
) -> np.ndarray:
    """How much each pixel of images (B, H, W, C) speaks for an output, from 0 to 1 (B, H, W).

    `number` is that of the output; None takes each image's highest. Raises FlagError for a layer
    without feature maps, and for an output that does not exist.
    """
    names = [name for name, _ in model.named_modules() if name] if layer is None else [layer]
    with capture(model.eval(), names) as found:
        outputs = model(inputs)  # in float32
        given = {n: c.outputs for n, c in found.items() if c.outputs is not None}
        maps = [n for n, x in given.items() if x.ndim == 4 and x[0, 0].numel() > 1]
        if not maps:
            raise FlagError(f"{layer or 'the model'} has no feature maps (B, C, h, w)")
        scores = outputs.reshape(len(inputs), outputs.shape[1], -1).mean(2)  # over a mask's pixels
        if number is not None and not 0 <= number < scores.shape[1]:
            raise FlagError(f"--target {number}: the outputs are 0 to {scores.shape[1] - 1}")
        chosen = scores.argmax(1) if number is None else torch.full_like(scores.argmax(1), number)
        scores.gather(1, chosen[:, None]).sum().backward()
    captured = found[maps[-1]]
    if captured.outputs is None or captured.gradient is None:
        raise FlagError(f"no gradient reaches {maps[-1]}: choose another --layer")
    weights = captured.gradient.mean((2, 3), keepdim=True)  # (B, C, 1, 1)
    heat = (weights * captured.outputs).sum(1, keepdim=True).relu()  # (B, 1, h, w)
    heat = nn.functional.interpolate(heat, inputs.shape[1:3], mode="bilinear")[:, 0]
    return (heat / heat.amax((1, 2), keepdim=True).clamp(min=1e-12)).cpu().numpy()


def draw(images: np.ndarray, heat: np.ndarray, titles: Sequence[str], path: Path) -> None:
    """Draw each image (H, W, C) with its title above it, and below it with its heat map."""
    with panels(path, len(images), 2) as axes:
        for number, (image, hot, title) in enumerate(zip(images, heat, titles, strict=True)):
            row, column = divmod(number, axes.shape[2])
            for panel in axes[row, :, column]:
                panel.imshow(to_picture(image), cmap="gray", vmin=0, vmax=1)
            axes[row, 0, column].set_title(title, wrap=True)
            axes[row, 1, column].imshow(hot, "turbo", alpha=0.45, vmin=0, vmax=1)


if __name__ == "__main__":
    cli.run(main)
