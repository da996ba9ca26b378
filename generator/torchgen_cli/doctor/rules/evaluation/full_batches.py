"""A share of the samples that counts the last batch as a full one."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import argument, everything, last_name, same, walk, written
from ..model.squeezed import keeps_last
from ..shared.origins import origins

HITS = re.compile(r"correct|hits?$|(^|_)acc|right", re.I)


@rule(
    "TG507",
    "the accuracy counts the last batch as a full one",
    why="""The hits are divided by batches times batch size, but the loader keeps a smaller last
    batch: there are fewer samples than that, and the accuracy is too low.""",
    remedy="divide by `len(loader.dataset)`, or by a count of the labels",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def accuracy(model, data, batch_size):
    model.eval()
    loader = DataLoader(data, batch_size=batch_size)
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct / (len(loader) * batch_size)  # <--
""",
    good="""
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def accuracy(model, data, batch_size):
    model.eval()
    loader = DataLoader(data, batch_size=batch_size)
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct / len(loader.dataset)
""",
)
def counted_as_full(module: Module) -> Iterator[ast.AST]:
    if b"batch" not in module.project.contents[module.name] or "len" not in module.calls:
        return
    for node in everything(module.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            hits, divisor = node.left, node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            hits, divisor = node.target, node.value
        else:
            continue
        while isinstance(divisor, ast.Call) and last_name(divisor.func) in ("float", "int"):
            divisor = divisor.args[0] if divisor.args else divisor.func
        counted = any(HITS.search(last_name(one)) for one in walk(hits))
        if counted and isinstance(divisor, ast.BinOp) and isinstance(divisor.op, ast.Mult):
            sides = (divisor.left, divisor.right)
            if any(is_full(module, node, *pair) for pair in (sides, sides[::-1])):
                yield node


def is_full(module: Module, place: ast.AST, batches: ast.expr, size: ast.expr) -> bool:
    """Whether it is a number of batches, and the size that their loader was made with."""
    for of in counted_of(module, place, batches):
        its_own = isinstance(size, ast.Attribute) and same(size.value, of)
        for where, made in origins(module, of):
            if (
                isinstance(made, ast.Call)
                and where.is_torch(made.func, "DataLoader")
                and keeps_last(made)
                and (its_own or is_size(size, argument(made, 1, "batch_size")))
            ):
                return True
    return False


def is_size(size: ast.expr, given: ast.expr | None) -> bool:
    """Whether a factor is the size of a batch, as it was given to the loader."""
    if isinstance(size, ast.Constant):
        return isinstance(given, ast.Constant) and given.value == size.value
    return given is not None and bool(written(size)) and last_name(size) == last_name(given)


def counted_of(module: Module, place: ast.AST, batches: ast.expr) -> Iterator[ast.expr]:
    """The loader of `len(loader)`, also by way of a name."""
    values = [batches]
    if isinstance(batches, ast.Name):
        values = module.value_in(batches, module.function(place))
    for value in values:
        for one in walk(value):
            if isinstance(one, ast.Call) and last_name(one.func) == "len" and one.args:
                yield one.args[0]
