"""The figures of a report, drawn by matplotlib."""

import warnings
from collections.abc import Sequence
from io import StringIO
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..base.values import Plain
from .folder import Run

PANELS = 24
LABELLED = 40  # classes whose names fit beside the confusion matrix
COUNTED = 20  # classes whose counts fit into its cells
STYLE: dict[Any, Any] = {  # matplotlib's own types differ between its versions
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "svg.fonttype": "none",  # text stays text, in the page's own font
    "svg.hashsalt": "report",  # the same numbers give the same file
    "text.parse_math": False,  # a class may be named "$x$"
}
TITLES = {"lr": "learning rate", "grad_norm": "gradient norm"}
BLUE, ORANGE, GRAY = "#1f6feb", "#d9700f", "#888888"


def curves(runs: dict[str, Run]) -> Figure:
    """A panel for each number that the runs wrote down, over the epochs; runs by their names.

    There are at most PANELS.
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
            if len(runs) == 1:
                draw_run(panel, next(iter(runs.values())), name)
            else:
                draw_runs(panel, runs, name)
            panel.set_title(TITLES.get(name, name.replace("_", " ")))
            panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        panels[0].legend(frameon=False)
    return figure


def draw_run(panel: Axes, run: Run, name: str) -> None:
    """Training and validation of one run."""
    for split, colour in (("train", ORANGE), ("val", BLUE)):
        epochs, values = run.curve(split, name)
        if epochs:
            label = "training" if split == "train" else "validation"
            panel.plot(epochs, values, color=colour, label=label, marker=".", markersize=5)


def draw_runs(panel: Axes, runs: dict[str, Run], name: str) -> None:
    """One line per run: of validation, where it has that number."""
    for label, run in runs.items():
        epochs, values = run.curve("val", name)
        if not epochs:
            epochs, values = run.curve("train", name)
        # a name that begins with "_" would be left out of the legend
        panel.plot(epochs, values, label=f" {label}", marker=".", markersize=5)


def confusion(matrix: np.ndarray, names: Sequence[str]) -> Figure:
    """The confusion matrix (C, C): colours are shares of the true class, numbers are samples."""
    count = len(names)
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    with matplotlib.rc_context(STYLE | {"axes.grid": False}):
        side = min(3.0 + 0.3 * min(count, LABELLED), 10.0)
        figure = Figure(figsize=(side + 0.6, side))
        panel = figure.subplots()
        picture = panel.imshow(shares, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
        figure.colorbar(picture, ax=panel, shrink=0.7, label="share of the true class")
        what = "" if count <= LABELLED else ", by the number of the class"
        panel.set_xlabel(f"predicted{what}")
        panel.set_ylabel(f"true{what}")
        if count <= LABELLED:
            short = [name if len(name) <= 20 else f"{name[:19]}…" for name in names]
            panel.set_xticks(range(count), short, rotation=90 if count > 10 else 45, ha="right")
            panel.set_yticks(range(count), short)
        if count <= COUNTED:
            for true, said in np.argwhere(matrix):
                colour = "white" if shares[true, said] > 0.5 else "black"
                text = str(matrix[true, said])
                panel.text(said, true, text, ha="center", va="center", color=colour)
    return figure


def calibration(found: Plain) -> Figure:
    """How often the model is right against how sure it is; below, the samples of each bin."""
    bins = [row for row in found["bins"] if row["samples"]]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.2, 4.4))
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        upper.plot([0, 1], [0, 1], color=GRAY, linestyle="--", label="perfectly calibrated")
        sure, right = ([row[key] for row in bins] for key in ("confidence", "accuracy"))
        upper.plot(sure, right, color=BLUE, marker="o", label="this model")
        upper.set_ylabel("share of right answers")
        upper.legend(frameon=False)
        width = [row["to"] - row["from"] for row in bins]
        heights = [row["samples"] for row in bins]
        lower.bar([row["from"] for row in bins], heights, width, align="edge", color=BLUE)
        lower.set_ylabel("samples")
        lower.set_xlabel("confidence")
        lower.set_xlim(0, 1)
    return figure


def as_svg(figure: Figure) -> str:
    """The figure as an <svg> element."""
    file = StringIO()
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the browser has other fonts
        figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
    text = file.getvalue()
    return text[text.index("<svg") :]
