"""Samples that seed the generators of their process."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import FUNCTIONS, is_constant, mentions, own_calls, parameters, walk
from ..data.data import EVALUATION
from ..shared.datasets import is_dataset

SEEDS = ("random.seed", "numpy.random.seed", "torch.manual_seed", "torch.random.manual_seed")


@rule(
    "TG115",
    "reading a sample seeds the process's generators",
    why="""The seed is derived from the index, or is constant, so a sample is augmented the same way
    in each epoch. Without workers the generator of the training restarts with each sample.""",
    remedy="use a separate generator for each sample, with the epoch in its seed",
    source=f"{STABLE}/notes/randomness.html",
    bad="""
import random

import torch
from torch.utils.data import Dataset


class Crops(Dataset):
    def __getitem__(self, index):
        random.seed(index)  # <--
        first = random.randint(0, 31)
        return self.images[index][:, first : first + 224]
""",
    good="""
import random

import torch
from torch.utils.data import Dataset


class Crops(Dataset):
    def __getitem__(self, index):
        draws = random.Random(f"{self.epoch} {index}")
        first = draws.randint(0, 31)
        return self.images[index][:, first : first + 224]
""",
    severity=Severity.WARNING,
)
def reseeded(module: Module) -> Iterator[Spot]:
    for node in module.classes:
        methods = [one for one in node.body if isinstance(one, FUNCTIONS)]
        sample = next((one for one in methods if one.name == "__getitem__"), None)
        if sample is None or EVALUATION.search(node.name) or not is_dataset(module, node):
            continue
        for call in own_calls(sample, "seed", "manual_seed"):
            conditional = any(isinstance(one, ast.If) for one in module.ancestors(call))
            if (
                module.qualified(call.func) in SEEDS
                and call.args
                and not conditional
                and is_alike(call.args[0], parameters(sample))
            ):
                yield Spot(call)


def is_alike(seed: ast.expr, names: list[str]) -> bool:
    """Whether a seed is the same in each epoch: made of numbers, the index, and kept settings."""
    if isinstance(seed, ast.Constant):
        return not is_constant(seed, None)
    leaves = [one for one in walk(seed) if isinstance(one, ast.Name | ast.Call)]
    plain = all(isinstance(one, ast.Name) and one.id in (*names, "self") for one in leaves)
    return (
        plain
        and any(isinstance(one, ast.Name) and one.id in names for one in leaves)
        and (not mentions(seed, "epoch", "step", "iter", "count"))
    )
