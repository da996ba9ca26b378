"""Random numbers that nobody seeded in the processes that load data."""

import ast
from collections.abc import Iterator
from pathlib import PurePath

from ...demonstrations import is_run
from ...lookup import path_of
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import argument, asks_main, keyword, last_name, receiver, written
from ..data.data import EVALUATION, for_evaluation, in_evaluation_branch
from ..shared.datasets import (
    dataset_classes,
    is_dataset,
    made_datasets,
    worker_loaders,
)
from ..shared.origins import calls_behind, made_within
from .no_workers import has_one, may_have_none
from .sampled import (
    Draw,
    applied,
    call_draws,
    draws,
    draws_globally,
    draws_value,
    global_draws,
    transforms,
    transforms_samples,
)


@rule(
    "TG101",
    "loader workers draw random numbers without a seed of their own",
    why="""The dataset draws from numpy's global generator, in worker processes. Before torch 1.9
    every worker then draws the same numbers. Since then they depend on torch's global generator, so
    whatever draws from it first (an evaluation, another number of workers, a resume) changes every
    sample. It is a hint where the packaging allows torch 1.9 or newer, and neither the README nor
    the code mentions an older one. So is a draw that only orders the parts of a sample, and a
    loader that nothing creates, or that has one worker.""",
    remedy="""give the DataLoader its own `generator` and a `worker_init_fn` that seeds from
    `torch.initial_seed()`; better, derive each sample's numbers from (seed, epoch, index)""",
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
    unsure = not may_run_on_old_torch(module)
    if any(one.attr == "worker_init_fn" for one in module.attributes):
        return  # of a loader that exists
    shown: set[tuple[ast.AST, str]] = set()  # a dataset may get a loader anew
    for loader in worker_loaders(module):
        if argument(loader, 10, "worker_init_fn") or keyword(loader, "generator"):
            continue
        evaluates_here = for_evaluation(module, loader) or in_evaluation_branch(module, loader)
        if evaluates_here or evaluates(module):
            continue  # which seldom draws, though its class can
        if collates_by_chance(module, loader) or samples_by_chance(module, loader):
            dataset = module.function(loader), written(argument(loader, 0, "dataset") or loader)
            if not dataset[1] or dataset not in shown:
                doubtful = (
                    unsure
                    or is_shown(module, loader)
                    or may_have_none(module, loader)
                    or has_one(module, loader)
                    or not draws_values(module, loader)
                )
                yield Spot(loader, unsure=doubtful)
            shown.add(dataset)


def may_run_on_old_torch(module: Module) -> bool:
    """Whether a project names a torch that leaves numpy alone in workers, and needs no newer."""
    project = module.project
    if project.needs_torch("1.9") or project.uses_torch("1.9"):
        return False
    return project.names_torch_before("1.9") or project.is_of_old_torch


def draws_values(module: Module, loader: ast.Call) -> bool:
    """Whether more is drawn for a batch than the order in which the parts of a sample are kept."""
    collates = collates_by_chance(module, loader, draws_value)
    return collates or samples_by_chance(module, loader, draws_value)


def samples_by_chance(module: Module, loader: ast.Call, holds: Draw = draws_globally) -> bool:
    """Whether the loader's dataset draws, itself or in a transform."""
    classes = dataset_classes(module, loader)
    if any(global_draws(*one, holds) for one in classes):
        return True
    behind = [applied(*made) for made in made_datasets(module, loader)]
    if any(call_draws(*one, holds) for calls in behind for one in calls or ()):
        return True
    if not classes:
        return not any(behind) and draws_in_transforms(module, holds)
    if None not in behind and behind:  # which transforms it has is known
        return any(
            call_draws(*one, holds)
            for found in classes
            if transforms_samples(*found)
            for place in made_within(*found)
            for one in calls_behind(*place)
        )
    return any(transforms_samples(*one) for one in classes) and any(
        draws(*one, holds) for one in transforms(module)
    )


def evaluates(module: Module) -> bool:
    """Whether a file is a script for evaluation, as `test.py`."""
    named = EVALUATION.search(PurePath(module.name).stem)
    return named is not None and "backward" not in module.calls


def is_shown(module: Module, loader: ast.Call) -> bool:
    """Whether a file of datasets only tries one of them, under `if __name__ == "__main__"`."""
    return any(
        asks_main(around) and not module.project.reaches(module, around, is_run)
        for around in module.ancestors(loader)
    )


def collates_by_chance(module: Module, loader: ast.Call, holds: Draw = draws_globally) -> bool:
    """Whether the function that makes a batch of samples draws."""
    collate = keyword(loader, "collate_fn")
    name = last_name(collate) if collate is not None else ""
    near = module.project.near(module)
    found = [(o, f) for o, f in module.project.functions.get(name, ()) if o in near]
    return any(draws(other, [function], holds) for other, function in found)


def draws_in_transforms(module: Module, holds: Draw) -> bool:
    """Whether a program without a dataset of its own draws in a transform for torchvision's."""
    near = module.project.near(module)
    if any(is_dataset(other, node) for other in near for node in other.classes):
        return False
    return any(
        draws(other, calls, holds)
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
