"""Random numbers that nobody seeded in the processes that load data."""

import ast
from collections.abc import Iterator

from ..lookup import path_of
from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import (
    FUNCTIONS,
    Function,
    keyword,
    last_name,
    own_calls,
    receiver,
)
from .data import for_evaluation
from .datasets import SAMPLE, dataset_classes, is_dataset, with_helpers, worker_loaders


def draws_globally(module: Module, call: ast.Call) -> bool:
    """Whether it draws from numpy's global generator; torch seeds Python's in each worker."""
    whole = module.qualified(call.func)
    base, _, name = whole.rpartition(".")
    if base != "numpy.random":
        return False
    return name.islower() and name not in ("seed", "default_rng", "getstate", "get_state")


def global_draws(module: Module, node: ast.ClassDef) -> bool:
    """Whether getting a sample draws globally, itself, by a helper in the file or a transform."""
    methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
    sample = [item for item in methods if item.name in SAMPLE]
    if not sample:  # those of a base
        bases = (
            one for base in node.bases for one in module.project.classes_named(module, base) or ()
        )
        return any(other[1] is not node and global_draws(*other) for other in bases)
    transformed = any(
        "transform" in last_name(call.func)
        for one in with_helpers(methods)
        for call in own_calls(one)
    )
    return draws(module, sample) or (transformed and any(draws(*one) for one in transforms(module)))


def transforms(module: Module) -> Iterator[tuple[Module, list[Function]]]:
    """`__call__` of the same program's classes that are made somewhere, and are no modules."""
    for other in module.project.near(module):
        for node in other.classes:
            methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
            calls = [item for item in methods if item.name == "__call__"]
            if calls and node.name in module.project.callers:
                yield other, calls


def draws(module: Module, functions: list[Function]) -> bool:
    """Whether one of these functions draws globally, itself or by a helper in the file."""
    pending = list(functions)
    seen = {item.name for item in pending}
    own = {function.name: function for function in module.functions}
    for function in pending:  # it grows
        for call in own_calls(function):
            if draws_globally(module, call):
                return True
            name = last_name(call.func)
            if name in own and name not in seen:
                seen.add(name)
                pending.append(own[name])
    return False


@rule(
    "TG101",
    "loader workers draw random numbers that nobody seeded for them",
    why="""The dataset draws from numpy's global generator, in worker processes. In torch before
    1.9 every worker then draws the same numbers. Since then they follow from torch's global
    generator, so whatever draws from it before (an evaluation, another number of workers, a
    resume) changes what every sample looks like; where a project asks for 1.9 or newer, this is
    a hint.""",
    remedy="""give the DataLoader a `generator` of its own and a `worker_init_fn` that seeds
    from `torch.initial_seed()`; better, derive each sample's numbers from (seed, epoch, index)""",
    source="https://github.com/pytorch/pytorch/issues/5059",
    severity=Severity.WARNING,
    bad="""
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __getitem__(self, index):
        return self.images[index] + np.random.randn(32, 32)


loader = DataLoader(Noisy(), batch_size=8, num_workers=4)  # <--
""",
    good="""
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __getitem__(self, index):
        return self.images[index] + np.random.randn(32, 32)


def seed_worker(_):
    np.random.seed(torch.initial_seed() % 2**32)


order = torch.Generator().manual_seed(0)
loader = DataLoader(
    Noisy(), batch_size=8, num_workers=4, worker_init_fn=seed_worker, generator=order
)
""",
)
def unseeded_workers(module: Module) -> Iterator[Spot]:
    unsure = module.project.needs_torch("1.9")
    for loader in worker_loaders(module):
        if keyword(loader, "worker_init_fn") or keyword(loader, "generator"):
            continue
        if for_evaluation(module, loader):  # which seldom draws, though its class can
            continue
        classes = dataset_classes(module, loader)
        if (
            collates_by_chance(module, loader)
            or any(global_draws(*found) for found in classes)
            or (not classes and draws_in_transforms(module))
        ):
            yield Spot(loader, unsure=unsure)


def collates_by_chance(module: Module, loader: ast.Call) -> bool:
    """Whether the function that makes a batch of samples draws."""
    collate = keyword(loader, "collate_fn")
    name = last_name(collate) if collate is not None else ""
    near = module.project.near(module)
    found = [(o, f) for o, f in module.project.functions.get(name, ()) if o in near]
    return any(draws(other, [function]) for other, function in found)


def draws_in_transforms(module: Module) -> bool:
    """Whether a program without a dataset of its own draws in a transform for torchvision's."""
    near = module.project.near(module)
    if any(is_dataset(other, node) for other in near for node in other.classes):
        return False
    return any(
        draws(other, calls)
        for other, calls in transforms(module)
        if composed(module, name_of_class(other, calls[0]))
    )


def name_of_class(module: Module, method: ast.AST) -> str:
    """The name of the class that a method belongs to."""
    node = module.class_of(method)
    return node.name if node is not None else ""


def composed(module: Module, name: str) -> bool:
    """Whether a `Compose` in this file, or in one that it imports, makes a transform."""
    imported = {part for whole in module.imports.values() for part in whole.split(".")}
    return any(
        isinstance(around, ast.Call)
        and (
            last_name(around.func) == "Compose"
            or (  # Compose([]).transforms.append(...)
                last_name(around.func) == "append"
                and last_name(receiver(around) or around) == "transforms"
            )
        )
        for other, call in module.project.callers.get(name, ())
        if other is module or path_of(other)[-1] in imported
        for around in other.ancestors(call)
    )
