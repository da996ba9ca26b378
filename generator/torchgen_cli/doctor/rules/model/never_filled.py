"""Parameters made of memory that nothing fills."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import everything, is_constant, keyword, last_name, walk, written
from ...unreached import is_unreached
from ..shared.flag_places import attributes_of
from .first_values import are_all_filled, family, is_filled

TYPED = ("DoubleTensor", "FloatTensor", "HalfTensor", "Tensor")
# a single argument of `Tensor` is a size if it is called one; it may be data else
SIZE = re.compile(
    r"^(n|num\w*|n_\w+|\w*(dim|size|channels|units)|(in|out)_features|\w+_classes)$", re.I
)
# what asks about a parameter, and takes none of its values
ABOUT = ("device", "dtype", "ndim", "requires_grad", "shape")


@rule(
    "TG348",
    "this parameter is made of memory that nothing fills",
    why="""`torch.empty(...)`, or `torch.Tensor(...)` with sizes, is memory with whatever was in it:
    zeros, huge numbers or NaN, and something else in the next run. No code gives this parameter its
    first values, so training starts from those. It is a hint where nothing trains it here.""",
    remedy="give it values: `nn.init.xavier_uniform_(self.weight)`, `nn.init.zeros_(self.bias)`",
    source=f"{STABLE}/generated/torch.empty.html",
    bad="""
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.Tensor(width, width))
        nn.init.xavier_uniform_(self.weight)
        self.query = nn.Parameter(torch.Tensor(width, 1))  # <--

    def forward(self, x):
        return torch.softmax(torch.tanh(x @ self.weight) @ self.query, 1)


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
""",
    good="""
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.Tensor(width, width))
        nn.init.xavier_uniform_(self.weight)
        self.query = nn.Parameter(torch.Tensor(width, 1))
        nn.init.xavier_uniform_(self.query)

    def forward(self, x):
        return torch.softmax(torch.tanh(x @ self.weight) @ self.query, 1)


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
""",
)
def never_filled(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("Parameter"):
        name = kept_as(module, call)
        around = module.class_of(call)
        if (
            name
            and around is not None
            and call.args
            and is_bare_memory(module, call.args[0])
            and is_known(module, around)
            and is_used(module, around, name)
            and not is_filled(module, around, call, name)
            and not are_all_filled(module, around)
        ):
            unsure = is_unreached(module, call) or is_loaded(module, around)
            yield Spot(call, f"self.{name}", unsure)


def kept_as(module: Module, call: ast.Call) -> str:
    """The attribute of the object that a parameter becomes; empty where it is something else."""
    parent = module.parents[call]
    if isinstance(parent, ast.IfExp):  # Parameter(...) if bias else None
        parent = module.parents[parent]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        owner, _, name = written(parent.targets[0]).partition(".")
        return name if owner == "self" and "." not in name else ""
    if isinstance(parent, ast.Call) and last_name(parent.func) == "register_parameter":
        name = getattr(parent.args[0], "value", "") if parent.args else ""
        return name if isinstance(name, str) and parent.args[1:] == [call] else ""
    return ""


def is_bare_memory(module: Module, value: ast.expr) -> bool:
    """Whether it makes a tensor, not empty, of which the sizes alone are given."""
    if not isinstance(value, ast.Call) or not module.is_torch(value.func):
        return False
    name = last_name(value.func)
    if name not in ("empty", "empty_like", *TYPED) or any(map(is_nothing, walk(value))):
        return False
    if name not in TYPED or keyword(value, "size") is not None:
        return True
    if not value.args:
        return False
    first = value.args[0]
    sizes = isinstance(getattr(first, "value", None), int) or SIZE.search(last_name(first))
    return len(value.args) > 1 or isinstance(first, ast.Starred) or bool(sizes)


def is_nothing(node: ast.AST) -> bool:
    """Whether it stands for a tensor without memory: a size of 0, or the device `meta`."""
    return is_constant(node, 0, "meta")


@kept
def is_known(module: Module, node: ast.ClassDef) -> bool:
    """Whether a class derives from `nn.Module` by classes of the project alone."""
    for base in node.bases:
        parents = module.project.classes_named(module, base)
        if module.qualified(base) in ("torch.nn.Module", "torch.nn.modules.Module"):
            continue
        if not parents or not all(is_known(*one) for one in parents if one[1] is not node):
            return False
    return bool(node.bases)


def is_loaded(module: Module, around: ast.ClassDef) -> bool:
    """Whether a class loads weights itself, or nothing here trains, so that others made them."""
    itself = any(last_name(one) == "load_state_dict" for one in everything(around))
    trains = any("backward" in other.calls for other in module.project.code)
    return itself or not (trains or module.project.has_framework(module))


def is_used(module: Module, around: ast.ClassDef, name: str) -> bool:
    """Whether a class, or one of its kind, computes something with a parameter."""
    return any(
        last_name(where.parents[node]) not in ABOUT
        for where, one in family(module, around)
        for node in attributes_of(where).get(name, ())
        if written(node.value) == "self" and one in where.ancestors(node)
    )
