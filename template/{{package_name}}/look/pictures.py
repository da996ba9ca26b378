"""Pictures of inputs that are images."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from ..base.errors import UserError

COLUMNS = 8


def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse inputs that cannot be drawn."""
    if len(shape) != 3:
        raise UserError(f"inputs of shape {shape} are not images, so there is nothing to draw")


def to_picture(values: np.ndarray) -> np.ndarray:
    """An input (H, W, C) as matplotlib takes it: (H, W) or (H, W, 3) from 0 to 1."""
    low, high = (0, 255) if values.dtype == np.uint8 else (values.min(), values.max())
    scaled = np.clip((values.astype(np.float32) - low) / max(high - low, 1e-12), 0, 1)
    return scaled if scaled.shape[-1] == 3 else scaled.mean(axis=-1)


@contextmanager
def panels(path: Path, samples: int, each: int) -> Iterator[np.ndarray]:
    """Axes (rows, each, columns) in which each sample has `each` axes below each other.

    They are written to a file of the kind that its name says; raises UserError if it cannot be.
    """
    columns = min(COLUMNS, samples)
    rows = -(-samples // columns)
    with matplotlib.rc_context({"text.parse_math": False, "font.size": 8}):
        figure = Figure(figsize=(1.8 * columns, 1.9 * rows * each), layout="constrained")
        axes = figure.subplots(rows * each, columns, squeeze=False)
        for one in axes.ravel():
            one.set_axis_off()
        yield axes.reshape(rows, each, columns)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, dpi=120)
        except (OSError, ValueError) as error:  # the latter for an unknown kind
            raise UserError(f"--output {path} cannot be written: {error}") from error
