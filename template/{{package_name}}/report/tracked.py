"""What the tracker shows of a report, as matplotlib's figures."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from ..base.values import Plain
from ..data.subset import Samples
from .figures import STYLE, calibration, confusion
from .judge import Judged
from .numbers import measure
from .page import pictures


def figures_of(judged: Judged | None, classes: list[str], reader: Samples) -> dict[str, Figure]:
    """The confusion matrix, the calibration, the worst mistakes and some right answers."""
    if judged is None:
        return {}
    measured = measure(judged, classes)
    drawn = {
        "confusion": confusion(np.array(measured["confusion"]), classes),
        "calibration": calibration(measured["calibration"]),
    }
    for name in ("worst", "right"):
        images = pictures(reader, [row["sample"] for row in measured[name]])
        if images is not None:
            drawn[name] = gallery(images, [caption(row) for row in measured[name]])
    return drawn


def caption(row: Plain) -> str:
    """What stands above a picture."""
    right = row["class"] == row["predicted"]
    return row["class"] if right else f"{row['predicted']}, not {row['class']}"


def gallery(images: np.ndarray, captions: Sequence[str]) -> Figure:
    """Images (N, H, W, C) uint8, each below its caption."""
    columns = min(6, len(images))
    rows = -(-len(images) // columns)
    with matplotlib.rc_context(STYLE | {"axes.grid": False, "font.size": 7}):
        figure = Figure(figsize=(1.5 * columns, 1.8 * rows))
        panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        for panel in panels:
            panel.set_axis_off()
        for panel, image, caption in zip(panels, images, captions, strict=False):
            panel.imshow(image.squeeze(), cmap="gray", vmin=0, vmax=255)
            panel.set_title(caption)
    return figure
