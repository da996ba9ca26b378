"""Grids whose ends are the centres of the outer pixels, given to a function that takes another."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import FUNCTIONS, has_stars, is_constant, mentions, own_nodes, walk
from ..shared.origins import called


@rule(
    "TG350",
    "the grid is normalised for `align_corners=True`, and `grid_sample` uses False",
    why="""Since torch 1.3, -1 and 1 are the edges of the image for `grid_sample` unless
    `align_corners=True`. Coordinates that were divided by the size minus one mean the centres of
    the first and the last pixel instead. The result is off by up to half a pixel near the borders,
    and weights trained before torch 1.3 see other inputs than in training.""",
    remedy="pass `align_corners=True`, or compute `(2 * x + 1) / width - 1`",
    source=f"{STABLE}/generated/torch.nn.functional.grid_sample.html",
    bad="""
import torch
import torch.nn.functional as F


def warp(image, x, y):
    height, width = image.shape[-2:]
    grid = torch.stack((2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1), dim=-1)
    return F.grid_sample(image, grid)  # <--
""",
    good="""
import torch
import torch.nn.functional as F


def warp(image, x, y):
    height, width = image.shape[-2:]
    grid = torch.stack((2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1), dim=-1)
    return F.grid_sample(image, grid, align_corners=True)
""",
    severity=Severity.WARNING,
)
def grids_of_centres(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("grid_sample"):
        scope = module.function(call)
        # elsewhere in the function: for a torch that knows the argument
        told = len(call.args) > 4 or has_stars(call) or mentions(scope, "align_corners")
        if told or not isinstance(scope, FUNCTIONS) or module.is_fallback(call):
            continue
        makers = [
            function
            for node in own_nodes(scope)
            if isinstance(node, ast.Call)
            for _, function in called(module, node)
        ]
        if any(is_between_centres(node) for one in (scope, *makers) for node in own_nodes(one)):
            # which had no such argument before
            yield Spot(call, unsure=module.project.stays_before_torch("1.3"))


def is_between_centres(node: ast.AST) -> bool:
    """Whether it is `x / (size - 1) * 2 - 1`, or the same with another order of the factors."""
    if not isinstance(node, ast.BinOp) or not is_less_one(node):
        return False
    parts = [one for one in walk(node.left) if isinstance(one, ast.BinOp)]
    return any(
        isinstance(one.op, ast.Div) and any(map(is_less_one, walk(one.right))) for one in parts
    )


def is_less_one(node: ast.AST) -> bool:
    """Whether one is taken off."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and is_constant(node.right, 1, 1.0)
    )
