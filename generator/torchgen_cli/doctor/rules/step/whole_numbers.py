"""Whole numbers that are written over with floats."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import keyword, last_name, receiver
from ...variables import given_to

CLAMPS = ("clamp_", "clamp_max_", "clamp_min_", "clip_")
WHOLE = ("int", "long", "short")
# what leaves the type as it is
KEEPS = ("T", "clone", "contiguous", "cpu", "cuda", "squeeze", "t", "unbind", "unsqueeze", "view")
FLOATS = ("ones", "rand", "randn", "zeros")


@rule(
    "TG433",
    "integers are clamped in place by a float",
    why="""The result is a float, which an integer tensor cannot hold: since torch 1.12 this raises
    a RuntimeError. YOLOv5 had this in its loss, and many projects copied it.""",
    remedy="clamp by an int, such as the size of the feature map: `.clamp_(0, shape[2] - 1)`",
    source=f"{STABLE}/tensor_attributes.html#type-promotion-doc",
    bad="""
import torch


def cells(prediction, boxes):
    gain = torch.ones(7, device=prediction.device)
    gain[2:6] = torch.tensor(prediction.shape)[[3, 2, 3, 2]]
    column, row = (boxes * gain)[:, 2:4].long().T
    return row.clamp_(0, gain[3] - 1), column.clamp_(0, gain[2] - 1)  # <--
""",
    good="""
import torch


def cells(prediction, boxes):
    gain = torch.ones(7, device=prediction.device)
    shape = prediction.shape
    gain[2:6] = torch.tensor(shape)[[3, 2, 3, 2]]
    column, row = (boxes * gain)[:, 2:4].long().T
    return row.clamp_(0, shape[2] - 1), column.clamp_(0, shape[3] - 1)
""",
    once=True,
)
def clamped_by_floats(module: Module) -> Iterator[Spot]:
    for name in CLAMPS:
        for call in module.calls.get(name, ()):
            owner = receiver(call)
            given = [*call.args, *(one.value for one in call.keywords)]
            if (
                owner is not None
                and is_whole(module, owner)
                and any(is_float(module, one) for one in given)
                and not module.is_fallback(call)
            ):
                yield Spot(call, unsure=module.project.stays_before_torch("1.12"))


def is_whole(module: Module, node: ast.expr, depth: int = 4) -> bool:
    """Whether a tensor is made one of whole numbers, at the end of what is done to it."""
    if isinstance(node, ast.Name):
        values = given_to(module, node) if depth else []
        return bool(values) and all(is_whole(module, one, depth - 1) for one in values)
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        return is_whole(module, node.value, depth)
    inner = receiver(node) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or inner is None:
        return False
    name = last_name(node.func)
    to_whole = name == "to" and any(
        module.qualified(one) in ("torch.long", "torch.int64", "torch.int32", "torch.int")
        for one in node.args
    )
    return to_whole or name in WHOLE or (name in KEEPS and is_whole(module, inner, depth))


def is_float(module: Module, node: ast.expr, depth: int = 4) -> bool:
    """Whether it is a float, or a tensor of them."""
    if isinstance(node, ast.BinOp):
        return is_float(module, node.left, depth) or is_float(module, node.right, depth)
    if isinstance(node, ast.Subscript):
        return is_float(module, node.value, depth)
    if isinstance(node, ast.Name):
        values = given_to(module, node) if depth else []
        return bool(values) and all(is_float(module, one, depth - 1) for one in values)
    if isinstance(node, ast.Call):
        made = module.qualified(node.func) in [f"torch.{name}" for name in FLOATS]
        plain = keyword(node, "dtype") is None
        return (made and plain) or last_name(node.func) == "float"
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
