"""What the tracker shows of a report, as matplotlib's figures."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from ..base.values import Plain
from .figures import STYLE, calibration, confusion
from .look import Seen
from .numbers import measure
from .page import pictures


def figures_of(seen: Seen) -> dict[str, Figure]:
    """The confusion matrix, the calibration, the worst mistakes and some right answers."""
    if seen.judged is None:
        return {}
    classes = seen.trained.facts.classes
    measured = measure(seen.judged, classes)
    drawn = {"calibration": calibration(measured["calibration"])}
    if measured["confusion"] is not None:
        drawn["confusion"] = confusion(np.array(measured["confusion"]), classes)
    for name in ("worst", "right"):
        images = pictures(seen.reader, [row["sample"] for row in measured[name]])
        if images is not None:
            drawn[name] = gallery(images, [caption(row) for row in measured[name]])
    return drawn


def caption(row: Plain) -> str:
    """What stands above a picture."""
    right = row["class"] == row["predicted"]
    return row["class"] if right else f"{row['predicted']}\nnot {row['class']}"


def gallery(images: np.ndarray, captions: Sequence[str]) -> Figure:
    """Images (N, H, W, C) uint8, each below its caption."""
    columns = min(6, len(images))
    rows = -(-len(images) // columns)
    with matplotlib.rc_context(STYLE | {"axes.grid": False, "font.size": 7}):
        figure = Figure(figsize=(1.5 * columns, 1.8 * rows))
        panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        for panel in panels:
            panel.set_axis_off()
        for panel, image, above in zip(panels, images, captions, strict=False):
            panel.imshow(image.squeeze(), cmap="gray", vmin=0, vmax=255)
            panel.set_title(above)
    return figure
