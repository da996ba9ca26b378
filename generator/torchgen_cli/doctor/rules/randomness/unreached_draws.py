"""Draws of datasets that the seed of a program does not reach."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_constant,
    last_name,
    own_calls,
    receiver,
)
from ..shared.datasets import is_dataset
from ..shared.origins import called
from .sampled import after_error, samplers


def of_datasets(module: Module, source: str, names: set[str]) -> Iterator[Spot]:
    """The first draws in a program's datasets: where they are made, or in getting a sample."""
    shown = [0, 0]
    near = module.project.near(module)
    for other in near:
        for node in other.classes:
            if node.name not in module.project.callers:
                continue
            methods = [m for m in node.body if isinstance(m, FUNCTIONS)]
            made = [(other, m) for m in methods if m.name == "__init__"]
            sampled = [(w, m) for w, sample in samplers(other, node) for m in sample]
            if not is_dataset(other, node):  # perhaps a transform
                made, sampled = [], [(other, m) for m in methods if m.name == "__call__"]
            for which, functions in enumerate((made, sampled)):
                for where, call in drawn(functions, source, names):
                    shown[which] += 1
                    if shown[which] == 1 and where is module:
                        yield Spot(call, unsure=bool(which) and not in_process(module, source))


def drawn(
    functions: list[tuple[Module, Function]], source: str, names: set[str]
) -> Iterator[tuple[Module, ast.Call]]:
    """The draws in functions, and in those that they call."""
    pending = [(*one, 2) for one in functions]
    for where, function, left in pending:  # it grows
        for call in own_calls(function):
            drawn_from = where.qualified(receiver(call) or call)
            known = last_name(call.func) in names and drawn_from == source
            if known and not after_error(where, call):
                yield where, call
            if left and len(pending) < 50:
                pending += [(*one, left - 1) for one in called(where, call)]


def in_process(module: Module, source: str) -> bool:
    """Whether samples are drawn where nothing but the seed of this source counts.

    Workers seed Python's `random` from torch, and numpy since torch 1.9.
    """
    loaders = [c for other in module.project.near(module) for c in other.torch_calls("DataLoader")]
    workers = [argument(one, 5, "num_workers") for one in loaders if not has_stars(one)]
    none = all(one is None or is_constant(one, 0) for one in workers)
    if loaders and none and len(workers) == len(loaders):
        return True
    return source == "numpy.random" and module.project.stays_before_torch("1.9")
