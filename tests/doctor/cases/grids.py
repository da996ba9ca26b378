"""Grids for `grid_sample`: planted faults, and code that has none."""

WARP = """
import inspect

import torch
import torch.nn.functional as F


def to_grid(flow, height, width):
    x = {x}
    y = {y}
    return torch.stack((x, y), dim=3)


def warp(features, flow):
    height, width = features.shape[2:]
    grid = to_grid(flow, height, width)
    {sample}
"""
BY_CENTRES = {"x": "2.0 * flow[:, 0] / max(width - 1, 1) - 1.0", "y": "flow[:, 1] / height"}
BY_EDGES = {
    "x": "(2 * flow[:, 0] + 1) / width - 1",
    "y": "(2 * flow[:, 1] + 1) / height - 1",
}

PLANTED: list[tuple[str, str]] = [
    ("TG350", WARP.format(**BY_CENTRES, sample="return F.grid_sample(features, grid)  # <--")),
    (
        "TG350",
        """
import torch
from torch import nn

def look_up(volume, points):
    size = volume.shape[-1]
    places = points / ((size - 1) / 2) - 1
    return nn.functional.grid_sample(volume, places, padding_mode="border")  # <--
""",
    ),
]
CLEAN: dict[str, str] = {
    "a grid between edges": WARP.format(**BY_EDGES, sample="return F.grid_sample(features, grid)"),
    "a grid between centres, and a sampler that is told so": WARP.format(
        **BY_CENTRES, sample="return F.grid_sample(features, grid, align_corners=True)"
    ),
    "an old torch that knows one kind of grid": WARP.format(
        **BY_CENTRES,
        sample="""if "align_corners" in inspect.signature(F.grid_sample).parameters:
        return F.grid_sample(features, grid, align_corners=True)
    return F.grid_sample(features, grid)""",
    ),
}
