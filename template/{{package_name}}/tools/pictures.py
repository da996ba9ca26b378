"""Pictures of inputs that are images."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from ..base.errors import UserError


def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse inputs that cannot be drawn."""
    if len(shape) != 3:
        words = " x ".join(map(str, shape))
        raise UserError(f"inputs of shape {words} are no images, so there is nothing to draw")


def picture_of(values: np.ndarray, lowest: float, highest: float) -> np.ndarray:
    """An input (H, W, C) as matplotlib takes it: (H, W) or (H, W, 3) of 0 to 1."""
    scaled = np.clip((values - lowest) / max(highest - lowest, 1e-12), 0, 1)
    return scaled if scaled.shape[-1] == 3 else scaled.mean(axis=-1)


def write(figure: Figure, path: Path) -> None:
    """Write a file of the kind that its name says; raises UserError where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:  # the latter for an unknown kind
        raise UserError(f"cannot write --out {path}: {error}") from error
