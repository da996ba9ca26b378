"""The figures of a report, as SVG, and its pictures, as PNG."""

import base64
import warnings
from io import BytesIO, StringIO
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from .history import Run

PANELS = 24
LABELED = 40  # classes whose names fit beside the confusion matrix
COUNTED = 20  # classes whose counts fit into its cells
SIDE = 160  # pixels: the longer side of a picture
STYLE: dict[Any, Any] = {  # matplotlib's own types differ between its versions
    "axes.grid": True,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "svg.fonttype": "none",  # text stays text, in the page's own font
    "svg.hashsalt": "report",  # the same numbers give the same file
    "text.parse_math": False,  # a class may be named "$x$"
}
BLUE, ORANGE, PALE = "#1f6feb", "#d9700f", "#f2c79b"
STYLES = {
    "": ("training, by steps", PALE),
    "train": ("training", ORANGE),
    "val": ("validation", BLUE),
}


def curves(runs: dict[str, Run]) -> str:
    """A panel for each number that the runs measured, over the steps.

    Of several runs, the curve of the validation data if it has that number.
    """
    names = list(dict.fromkeys(name for run in runs.values() for name in run.names()))[:PANELS]
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(3.6 * columns, 2.4 * rows))
        panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        for panel, name in zip(panels, names, strict=False):
            for label, run in runs.items():
                splits = [split for split in STYLES if run.curve(split, name)[0]]
                for split in splits if len(runs) == 1 else splits[-1:]:
                    # a label that begins with "_" would not be in the legend
                    text, color = (f" {label}", None) if len(runs) > 1 else STYLES[split]
                    marker = "." if split else None
                    panel.plot(*run.curve(split, name), color=color, label=text, marker=marker)
            panel.set_title(name.replace("_", " "))
            panel.set_xlabel("step")
        panels[0].legend(frameon=False)
    return to_svg(figure)


def confusion(matrix: np.ndarray, names: list[str]) -> str:
    """The confusion matrix (C, C): colors are shares of the true class, numbers are samples."""
    count = len(names)
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    with matplotlib.rc_context(STYLE | {"axes.grid": False}):
        side = min(3.0 + 0.3 * min(count, LABELED), 10.0)
        figure = Figure(figsize=(side + 0.6, side))
        panel = figure.subplots()
        image = panel.imshow(shares, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
        figure.colorbar(image, ax=panel, shrink=0.7, label="share of the true class")
        panel.set(xlabel="predicted", ylabel="true")
        if count <= LABELED:
            short = [name if len(name) <= 20 else f"{name[:19]}…" for name in names]
            panel.set_xticks(range(count), short, rotation=90 if count > 10 else 45, ha="right")
            panel.set_yticks(range(count), short)
        for true, predicted in np.argwhere(matrix) if count <= COUNTED else ():
            color = "white" if shares[true, predicted] > 0.5 else "black"
            text = str(matrix[true, predicted])
            panel.text(predicted, true, text, ha="center", va="center", color=color)
    return to_svg(figure)


def calibration(bins: np.ndarray) -> str:
    """Accuracy over confidence, and below it the samples of each bin (BINS, 3)."""
    edges = np.arange(len(bins)) / len(bins)
    _, sure, right = bins[bins[:, 0] > 0].T
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.2, 4.4))
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        upper.plot([0, 1], [0, 1], color="#888888", linestyle="--", label="perfectly calibrated")
        upper.plot(sure, right, color=BLUE, marker="o", label="this model")
        upper.set_ylabel("accuracy")
        upper.legend()
        lower.bar(edges, bins[:, 0], 1 / len(bins), align="edge", color=BLUE)
        lower.set(xlabel="confidence", ylabel="samples", xlim=(0, 1))
    return to_svg(figure)


def to_svg(figure: Figure) -> str:
    """The figure as an <svg> element."""
    file = StringIO()
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the browser has other fonts
        figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
    return file.getvalue()[file.getvalue().index("<svg") :]


def to_png(image: np.ndarray, side: int | None = SIDE) -> str:
    """An image (H, W, 1 or 3) uint8 as a PNG file in base64; "" for anything else."""
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] not in (1, 3):
        return ""
    picture, file = Image.fromarray(image[:, :, 0] if image.shape[2] == 1 else image), BytesIO()
    if side:
        picture.thumbnail((side, side))
    picture.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def mosaic(images: np.ndarray) -> str:
    """Images (B, H, W, C), eight in a row, as a PNG file in base64; "" if they are none."""
    if images.ndim != 4:
        return ""
    padded = np.pad(images, ((0, -len(images) % 8), (0, 1), (0, 1), (0, 0)), constant_values=255)
    _, height, width, channels = padded.shape
    grid = padded.reshape(-1, 8, height, width, channels).swapaxes(1, 2)
    return to_png(grid.reshape(-1, 8 * width, channels), None)
