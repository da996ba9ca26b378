"""Lists that are given to functions which take a tensor."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import FUNCTIONS, walk
from ..shared.states import takes

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
            listed = given is not None and is_list(module, given)
            if listed and module.qualified(call.func) == f"torch.{name}":
                yield call


def is_list(module: Module, given: ast.expr) -> bool:
    """Whether it is a list, or a name that a function gives nothing but lists."""
    if not isinstance(given, ast.Name):
        return isinstance(given, ast.List | ast.ListComp | ast.GeneratorExp)
    scope = module.function(given)
    if not isinstance(scope, FUNCTIONS) or takes(scope, given.id):
        return False
    stores = [
        one
        for one in walk(scope)
        if isinstance(one, ast.Name) and one.id == given.id and not isinstance(one.ctx, ast.Load)
    ]
    values = module.value_in(given, scope)
    return 0 < len(values) == len(stores) and all(
        isinstance(one, ast.List | ast.ListComp) for one in values
    )
