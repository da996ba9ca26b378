"""Generators that a dataset keeps, of which each worker gets a copy."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import receiver, same, walk, written
from ..shared.datasets import SAMPLE, is_dataset, worker_loaders
from .randomness import SEEDERS

GENERATORS = {
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "numpy.random.Generator",
    "random.Random",
    "torch.Generator",
}


@rule(
    "TG102",
    "a random generator kept on the dataset is copied into each worker",
    why="""Each worker process gets a copy of the dataset, so all workers draw the same numbers from
    their copies, and each epoch, with new copies in new workers, draws them again.""",
    remedy="""create the generator in `__getitem__` from (seed, epoch, index), or once in each
    worker""",
    source="https://github.com/pytorch/pytorch/issues/5059",
    bad="""
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, images):
        self.images = images
        self.rng = np.random.default_rng(0)  # <--

    def __getitem__(self, index):
        return self.images[index] + self.rng.normal()


def load(images):
    return DataLoader(Noisy(images), batch_size=8, num_workers=4)
""",
    good="""
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, images):
        self.images = images
        self.epoch = 0

    def __getitem__(self, index):
        rng = np.random.default_rng((0, self.epoch, index))
        return self.images[index] + rng.normal()


def load(images):
    return DataLoader(Noisy(images), batch_size=8, num_workers=4)
""",
)
def generator_on_dataset(module: Module) -> Iterator[ast.AST]:
    for node in module.classes:
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
        later = [item for item in methods if item.name != "__init__"]
        for statement in kept_generators(module, methods):
            uses = [n for m in later for n in walk(m) if same(n, statement.targets[0])]
            if (
                drawn_per_sample(module, uses)
                and is_dataset(module, node)
                and any(any(worker_loaders(other)) for other in module.project.code)
            ):
                yield statement


def kept_generators(module: Module, methods: list[ast.FunctionDef]) -> Iterator[ast.Assign]:
    """Where `__init__` keeps a new generator on the object."""
    for method in methods:
        for statement in walk(method) if method.name == "__init__" else ():
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                kept = written(statement.targets[0]).startswith("self.")
                if kept and makes_generator(module, statement.value):
                    yield statement


def makes_generator(module: Module, call: ast.Call) -> bool:
    """Whether the value is a new generator, perhaps one that is seeded at once."""
    if module.qualified(call.func) in GENERATORS:
        return True
    inner = receiver(call)
    return isinstance(inner, ast.Call) and module.qualified(inner.func) in GENERATORS


def drawn_per_sample(module: Module, uses: list[ast.AST]) -> bool:
    """Whether a generator is drawn from in getting a sample, and never made or seeded anew."""
    drawn = False
    for use in uses:
        parent = module.parents[use]
        if isinstance(getattr(use, "ctx", None), ast.Store):
            return False
        if isinstance(parent, ast.Attribute) and parent.attr in (*SEEDERS, "set_state", "setstate"):
            return False
        taken = isinstance(parent, ast.Attribute | ast.keyword)
        drawn = drawn or (taken and getattr(module.function(use), "name", "") in SAMPLE)
    return drawn
