"""Histograms of weights and gradients, for --histograms: kept in the run's folder, for the tracker.

A tracker that is written again at a resume gets those of earlier epochs from there.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..base.files import write_atomic

FILE = "histograms.jsonl"
BINS = 64


class Histogram(NamedTuple):
    """How many values lie between two edges."""

    counts: list[int]  # one less than there are edges
    edges: list[float]


Histograms = dict[str, Histogram]


def histogram_of(tensor: torch.Tensor) -> Histogram:
    """The histogram of all finite values, from the smallest to the largest."""
    values = tensor.detach().float().flatten().cpu().numpy()
    counts, edges = np.histogram(values[np.isfinite(values)], BINS)
    return Histogram(counts.tolist(), edges.tolist())


def measure(model: nn.Module) -> Histograms:
    """Those of each parameter, and of the gradient that the last step has left."""
    found: Histograms = {}
    for name, parameter in getattr(model, "module", model).named_parameters():
        found[f"weights/{name}"] = histogram_of(parameter)
        if parameter.grad is not None:
            found[f"gradients/{name}"] = histogram_of(parameter.grad)
    return found


def add(run_dir: Path, epoch: int, step: int, histograms: Histograms) -> None:
    """Write down those of an epoch, whose last step this is."""
    record = {"epoch": epoch, "step": step, "histograms": histograms}
    with (run_dir / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def keep(run_dir: Path, epochs: int) -> dict[int, Histograms]:
    """Those of the first `epochs` epochs, by their steps; the rest will be written again."""
    path, kept, found = run_dir / FILE, list[str](), dict[int, Histograms]()
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:  # a run was killed while it wrote
            break
        if record["epoch"] <= epochs:
            kept.append(line + "\n")
            found[record["step"]] = {n: Histogram(*h) for n, h in record["histograms"].items()}
    write_atomic(path, "".join(kept).encode())
    return found
