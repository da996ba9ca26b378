"""Generators of the processes that load data, which repeat what they drew."""

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from ...kept import kept
from ...lookup import definitions
from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    walk,
)
from ..data.data import for_evaluation
from ..shared.datasets import dataset_classes, worker_loaders
from ..shared.origins import origins
from .sampled import global_draws
from .worker_seeds import first_number_of_state, seeded_in_samples, seeds_by_worker_alone

Starting = tuple[Module, ast.AST]
ENDLESS = re.compile(r"infinite|endless|forever|iteration|cycl", re.I)


@rule(
    "TG103",
    "each epoch seeds its workers alike, so the same random numbers repeat",
    why="""Workers are started again for each epoch, and this `worker_init_fn` gives worker k the
    same seed every time: every epoch draws the same augmentations. `np.random.get_state()[1][0]` is
    not a seed either: since 1.9 torch seeds numpy in each worker from several numbers, after which
    the first one of the state is always 2147483648. Where torch is pinned before 1.9 that is a
    hint. So is a dataset that also draws from another generator, which torch seeds again in each
    epoch, and one that is an endless stream.""",
    remedy="""seed from `torch.initial_seed() % 2**32`, which differs in each epoch, or set
    `persistent_workers=True`""",
    source="https://github.com/pytorch/pytorch/issues/5059",
    bad="""
import numpy as np
from torch.utils.data import DataLoader


def seed_worker(worker_id):
    np.random.seed(42 + worker_id)


def load(dataset):
    return DataLoader(dataset, num_workers=4, worker_init_fn=seed_worker)  # <--
""",
    good="""
import numpy as np
import torch
from torch.utils.data import DataLoader


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def load(dataset):
    return DataLoader(dataset, num_workers=4, worker_init_fn=seed_worker)
""",
)
def same_seed_each_epoch(module: Module) -> Iterator[Spot]:
    drawn = drawn_from(module) if "DataLoader" in module.calls else None
    for loader in worker_loaders(module):
        start = keyword(loader, "worker_init_fn")
        alone = isinstance(module.function(loader), ast.Module) and "backward" not in module.calls
        if alone and mentions(module.tree, "__main__"):
            continue  # a demonstration
        kept = keyword(loader, "persistent_workers")
        if start is None or not (kept is None or is_constant(kept, False)):
            continue
        if is_partial(start) and (mentions(start, "epoch") or is_made_anew(module, loader, start)):
            continue
        functions = started(module, start)
        alike = functions and all(seeds_by_worker_alone(*one) for one in functions)
        if alike and (not drawn or not drawn.isdisjoint(seeded_by(functions))):
            by_state = any(first_number_of_state(*one) for one in functions)
            other = by_state and (
                module.project.stays_before_torch("1.9") or not redraws(module, loader)
            )
            # which may be what is wanted
            other = other or for_evaluation(module, loader) or streams(module, loader)
            yield Spot(loader, unsure=other or not is_all_seeded(module, functions, drawn))
    yield from seeded_in_samples(module)


def is_made_anew(module: Module, loader: ast.Call, start: ast.expr) -> bool:
    """Whether a loader is made in each round of a loop, with its number in the arguments."""
    targets = [one.target for one in module.ancestors(loader) if isinstance(one, ast.For)]
    numbers = {n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)}
    return any(isinstance(n, ast.Name) and n.id in numbers for n in walk(start))


def is_partial(start: ast.expr) -> TypeGuard[ast.Call]:
    """Whether it is a function that is given some arguments beforehand, the same in each epoch."""
    return isinstance(start, ast.Call) and last_name(start.func) == "partial" and bool(start.args)


def started(module: Module, start: ast.expr) -> list[Starting]:
    """The functions that a `worker_init_fn` may be, each with its file."""
    if is_partial(start):
        start = start.args[0]
    if isinstance(start, ast.Lambda):
        return [(module, start)]
    return list(definitions(module, start, module.project.functions) or ())


def is_all_seeded(module: Module, functions: list[Starting], drawn: set[str] | None) -> bool:
    """Whether these seed all that a program's datasets draw from, as far as can be told.

    Torch seeds its own generator and `random` in each worker, and numpy's since 1.9.
    """
    if drawn is None:
        return True
    seeded = seeded_by(functions)
    if module.project.names_torch_before("1.9"):  # where numpy's repeats without being seeded
        return not drawn.isdisjoint(seeded)
    return bool(drawn) and drawn - {"torch"} <= seeded


def streams(module: Module, loader: ast.Call) -> bool:
    """Whether a loader's dataset is a stream, or its sampler one, which may never end."""
    classes = dataset_classes(module, loader)
    endless = bool(classes) and all(
        module.project.derives(*one, "IterableDataset") for one in classes
    )
    samplers = [keyword(loader, "sampler"), keyword(loader, "batch_sampler")]
    return endless or any(
        ENDLESS.search(last_name(value.func))
        for sampler in samplers
        if sampler is not None
        for _, value in origins(module, sampler)
        if isinstance(value, ast.Call)
    )


def redraws(module: Module, loader: ast.Call) -> bool:
    """Whether a loader's dataset may draw from numpy, and is gone through more than once."""
    classes = dataset_classes(module, loader)
    return not classes or any(
        global_draws(*one) and not module.project.derives(*one, "IterableDataset")
        for one in classes
    )


def drawn_from(module: Module) -> set[str] | None:
    """What the program's code draws random numbers from; None where its datasets are others'."""
    code = module.project.code
    own = any(
        other.project.derives(other, node, "Dataset") for other in code for node in other.classes
    )
    return set().union(*map(draws, code)) if own else None


@kept
def draws(module: Module) -> set[str]:
    """What a file draws random numbers from, once all is made.

    Transforms of a library may draw from anything.
    """
    own = module.project.classes.keys() | module.project.functions.keys()
    others = [whole for whole in module.imports.values() if whole.rpartition(".")[2] not in own]
    if re.search(r"albumentations|imgaug|[Aa]ug|Random[A-Z]", " ".join(others)):
        return {"numpy", "random", "torch"}
    found = (
        module.qualified(call.func)
        for name, calls in module.calls.items()
        if "seed" not in name
        for call in calls
        if getattr(module.function(call), "name", "") != "__init__"  # which no worker runs
    )
    prefixes = ("numpy.random.", "random.", "torch.rand", "torchvision.transforms.Random")
    drawn = {whole.partition(".")[0] for whole in found if whole.startswith(prefixes)}
    return {"torch" if one == "torchvision" else one for one in drawn}


def seeded_by(functions: list[Starting]) -> set[str]:
    """Which of numpy, random and torch a `worker_init_fn` seeds."""
    return {
        where.qualified(call.func).partition(".")[0]
        for where, function in functions
        for call in own_calls(function)
    }
