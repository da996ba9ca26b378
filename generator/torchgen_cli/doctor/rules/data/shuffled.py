"""Tensors that Python's own generator mixes up."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import last_name, receiver

OF_TORCH = (
    *("arange", "as_tensor", "cat", "empty", "eye", "from_numpy", "full", "linspace", "ones"),
    *("rand", "randint", "randn", "randperm", "stack", "tensor", "zeros"),
)
# arrays of several axes, whatever is joined
JOINED = ("column_stack", "stack", "vstack")
# methods that tensors alone have
OF_TENSORS = ("clone", "detach")
SHAPED = ("empty", "full", "ones", "zeros")


@rule(
    "TG213",
    "`random.shuffle` loses some rows of a tensor and repeats others",
    why="""It swaps two elements with `x[i], x[j] = x[j], x[i]`. In a tensor, or an array of several
    dimensions, each side is a view: the first assignment overwrites what the second one copies.
    After the shuffle some rows appear twice, and others are lost.""",
    remedy="use `x[torch.randperm(len(x))]`, or `numpy.random.shuffle` for an array",
    source="https://docs.python.org/3/library/random.html#random.shuffle",
    bad="""
import random

import torch


def batches(features, size):
    rows = torch.stack(features)
    random.shuffle(rows)  # <--
    return rows.split(size)
""",
    good="""
import torch


def batches(features, size):
    rows = torch.stack(features)
    return rows[torch.randperm(len(rows))].split(size)
""",
)
def shuffled_rows(module: Module) -> Iterator[ast.Call]:
    for call in module.calls.get("shuffle", ()):
        if module.qualified(call.func) != "random.shuffle" or not call.args:
            continue
        given = whole_of(call.args[0])
        values = [given]
        if isinstance(given, ast.Name | ast.Attribute):
            values = module.value_in(given, module.function(call))
        if values and all(has_views(module, one) for one in values):
            yield call


def whole_of(value: ast.expr) -> ast.expr:
    """What a slice is taken of, which shows the rows of the whole; all else as it is."""
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        return value.value
    return value


def has_views(module: Module, value: ast.expr) -> bool:
    """Whether it is surely a tensor, or an array of several axes: its elements are views."""
    value = whole_of(value)
    if not isinstance(value, ast.Call):
        return False
    name, whole = last_name(value.func), module.qualified(value.func)
    if whole.startswith("torch."):
        return whole.count(".") == 1 and name in OF_TORCH
    if whole.startswith("numpy."):
        shape = value.args[0] if value.args else None
        several = isinstance(shape, ast.Tuple | ast.List) and len(shape.elts) > 1
        return (
            name in JOINED or (name in SHAPED and several) or (name == "array" and is_table(shape))
        )
    owner = receiver(value)
    if name in OF_TENSORS and owner is not None and not value.args:
        return True
    inner = isinstance(owner, ast.Call) and has_views(module, owner)
    return inner and name in ("clone", "cpu", "cuda", "detach", "float", "long", "to")


def is_table(given: ast.expr | None) -> bool:
    """Whether it is a list of lists or tuples: an array of it has rows."""
    if isinstance(given, ast.ListComp):
        return isinstance(given.elt, ast.List | ast.Tuple)
    rows = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    return bool(rows) and all(isinstance(one, ast.List | ast.Tuple) for one in rows)
