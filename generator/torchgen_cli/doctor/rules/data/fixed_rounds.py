"""Loops over as many samples as a full batch has."""

import ast
import re
from collections.abc import Iterator
from itertools import takewhile

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import FUNCTIONS, argument, last_name, mentions, own_nodes, same, walk, written
from ...unreached import is_unreached
from ...variables import given_to
from ..evaluation.full_batches import is_size
from ..model.squeezed import loaders_of
from ..shared.default_numbers import numbers

BATCH_SIZE = re.compile(r"^(\w+_)?(batch_?size|bs|bsz)$", re.I)
KEEPS = ("contiguous", "cpu", "cuda", "detach", "float", "long", "numpy", "to")


@rule(
    "TG223",
    "the last batch has fewer samples than this loop asks for",
    why="""The loader keeps a smaller last batch, unless the batch size divides the number of
    samples. The loop counts to the batch size all the same, and raises an IndexError there, at the
    end of an epoch. It is a hint where the batch size is 1 by default.""",
    remedy="write `range(len(batch))`, or `for sample in batch`",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def images(model, dataset, batch_size, save):
    model.eval()
    loader = DataLoader(dataset, batch_size=batch_size)
    for source, target in loader:
        for i in range(batch_size):  # <--
            save(source[i], target[i])
""",
    good="""
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def images(model, dataset, batch_size, save):
    model.eval()
    loader = DataLoader(dataset, batch_size=batch_size)
    for source, target in loader:
        for i in range(len(source)):
            save(source[i], target[i])
""",
)
def rounds_of_full_batches(module: Module) -> Iterator[Spot]:
    for loop in module.loops:
        size = counted_to(loop)
        outer = next((one for one in module.loops_around(loop) if isinstance(one, ast.For)), None)
        if size is None or outer is None or not isinstance(loop, ast.For):
            continue
        loaders = loaders_of(module, outer)
        if (
            any(is_size(size, argument(one, 1, "batch_size")) for one in loaders)
            and takes_each(module, loop, outer)
            and not is_provided_for(module, loop, outer, size)
        ):
            yield Spot(loop, unsure=numbers(module, size) == {1} or is_unreached(module, loop))


def counted_to(loop: ast.AST) -> ast.expr | None:
    """What a loop counts to, where it is called a batch's size."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return None
    counts = isinstance(loop.iter, ast.Call) and written(loop.iter.func) == "range"
    given = loop.iter.args if isinstance(loop.iter, ast.Call) and counts else []
    return given[0] if len(given) == 1 and BATCH_SIZE.match(last_name(given[0])) else None


def takes_each(module: Module, loop: ast.For, outer: ast.For) -> bool:
    """Whether a loop takes each of its numbers from what the outer one gives, as it came."""
    given = {one.id for one in walk(outer.target) if isinstance(one, ast.Name)}
    for node in (one for statement in loop.body for one in walk(statement)):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in given
            and same(node.slice, loop.target)
            and all(is_as_it_came(one, node.value.id) for one in given_to(module, node.value))
        ):
            return True
    return False


def is_as_it_came(value: ast.expr, name: str) -> bool:
    """Whether a batch is only moved: `images.to(device)`."""
    while isinstance(value, ast.Call) and last_name(value.func) in KEEPS:
        value = getattr(value.func, "value", value.func)
    return written(value) == name


def is_provided_for(module: Module, loop: ast.For, outer: ast.For, size: ast.expr) -> bool:
    """Whether the size is set anew, or something asks how large a batch is, or ends the loop."""
    scope = module.function(loop)
    nodes = list(own_nodes(scope if isinstance(scope, FUNCTIONS) else outer))
    bound = [one for one in nodes if isinstance(one, ast.Name) and same(one, size)]
    compared = any(
        isinstance(node, ast.Compare) and mentions(node, "size", "shape", "len") for node in nodes
    )
    leaves = any(isinstance(node, ast.Break | ast.Return) for node in walk(loop))
    inside = takewhile(lambda one: one is not outer, module.ancestors(loop))
    asked = any(isinstance(one, ast.Try | ast.If) for one in inside)
    return any(isinstance(one.ctx, ast.Store) for one in bound) or compared or leaves or asked
