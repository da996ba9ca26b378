"""Lists that are given to functions which take a tensor."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule

# functions of torch that refuse a list of tensors, or of numbers
REFUSING = (
    *("abs", "argmax", "argmin", "clamp", "cumsum", "exp", "log", "max", "mean", "median", "min"),
    *("prod", "relu", "round", "sigmoid", "softmax", "sqrt", "std", "sum", "var"),
)


@rule(
    "TG343",
    "torch takes a tensor here, but gets a list",
    why="""`torch.sum`, `torch.mean` and similar functions take one tensor. A list of tensors or
    numbers raises a TypeError as soon as the line is reached.""",
    remedy="use Python's `sum(...)`, or `torch.stack(...)` first",
    source=f"{STABLE}/generated/torch.sum.html",
    bad="""
import torch


def loss_of(outputs, target, criterion):
    return torch.sum([criterion(output, target) for output in outputs])  # <--
""",
    good="""
import torch


def loss_of(outputs, target, criterion):
    return torch.stack([criterion(output, target) for output in outputs]).sum()
""",
)
def lists_for_tensors(module: Module) -> Iterator[ast.Call]:
    for name in REFUSING:
        for call in module.calls.get(name, ()):
            given = call.args[0] if call.args else None
            listed = isinstance(given, ast.List | ast.ListComp | ast.GeneratorExp)
            if listed and module.qualified(call.func) == f"torch.{name}":
                yield call
