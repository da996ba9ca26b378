"""Random numbers that nobody seeded in the processes that load data."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from ..lookup import path_of
from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import (
    FUNCTIONS,
    Function,
    argument,
    keyword,
    last_name,
    mentions,
    own_calls,
    receiver,
)
from .data import EVALUATION, for_evaluation
from .datasets import (
    SAMPLE,
    dataset_classes,
    is_dataset,
    made_datasets,
    with_helpers,
    worker_loaders,
)
from .origins import calls_behind, made_within, own_calls_of

# what a dataset calls to change a sample: `self.transform(image)`, `self.augment(...)`
APPLIED = re.compile(r"transform|augment|preproc|(^|_)(aug|augs|tfm|tfms|t)$", re.I)


def draws_globally(module: Module, call: ast.Call) -> bool:
    """Whether it draws from numpy's global generator; torch seeds Python's in each worker."""
    whole = module.qualified(call.func)
    base, _, name = whole.rpartition(".")
    if base != "numpy.random":
        return False
    return name.islower() and name not in ("seed", "default_rng", "getstate", "get_state")


def global_draws(module: Module, node: ast.ClassDef) -> bool:
    """Whether getting a sample draws globally, itself or by a helper."""
    return any(draws(where, functions) for where, functions in samplers(module, node))


def samplers(module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, list[Function]]]:
    """The methods of a dataset that get a sample, or those of its base."""
    sample = [item for item in node.body if isinstance(item, FUNCTIONS) and item.name in SAMPLE]
    if sample:
        yield module, sample
        return
    for base in node.bases:
        for other, parent in module.project.classes_named(module, base) or ():
            if parent is not node:
                yield from samplers(other, parent)


def transforms_samples(module: Module, node: ast.ClassDef) -> bool:
    """Whether a dataset applies a transform to each sample, and seeds nothing before that."""
    return any(
        APPLIED.search(last_name(call.func))
        for where, sample in samplers(module, node)
        if not seeds(where, sample)
        for around in [where.class_of(sample[0])]
        for one in with_helpers(
            [m for m in around.body if isinstance(m, FUNCTIONS)] if around else []
        )
        for call in own_calls(one)
    )


def seeds(module: Module, functions: list[Function]) -> bool:
    """Whether a function seeds numpy for itself."""
    calls = own_calls_of(module, functions)
    return any(where.qualified(call.func) == "numpy.random.seed" for where, call in calls)


def after_error(module: Module, call: ast.Call) -> bool:
    """Whether it only makes up for a sample that cannot be read."""
    return any(isinstance(around, ast.ExceptHandler) for around in module.ancestors(call))


def transforms(module: Module) -> Iterator[tuple[Module, list[Function]]]:
    """`__call__` of the same program's classes that are made somewhere, and are no modules."""
    for other in module.project.near(module):
        for node in other.classes:
            methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
            calls = [item for item in methods if item.name == "__call__"]
            if calls and node.name in module.project.callers:
                yield other, calls


def draws(module: Module, functions: list[Function]) -> bool:
    """Whether one of these functions draws globally, itself or by a helper."""
    pending = list(functions)
    seen = {item.name for item in pending}
    own = {function.name: function for function in module.functions}
    if seeds(module, functions):
        return False
    for function in pending:  # it grows
        calls = own_calls_of(module, [function])
        if any(draws_globally(*one) and not after_error(*one) for one in calls):
            return True
        for call in own_calls(function):
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
        if for_evaluation(module, loader) or evaluates(module):
            continue  # which seldom draws, though its class can
        if collates_by_chance(module, loader) or samples_by_chance(module, loader):
            yield Spot(loader, unsure=unsure or is_shown(module, loader))


def samples_by_chance(module: Module, loader: ast.Call) -> bool:
    """Whether the loader's dataset draws, itself or in a transform."""
    classes = dataset_classes(module, loader)
    if any(global_draws(*one) for one in classes):
        return True
    behind = [applied(*made) for made in made_datasets(module, loader)]
    if any(call_draws(*one) for calls in behind for one in calls or ()):
        return True
    if not classes:
        return not any(behind) and draws_in_transforms(module)
    if None not in behind and behind:  # which transforms it has is known
        return any(
            call_draws(*one)
            for found in classes
            if transforms_samples(*found)
            for place in made_within(*found)
            for one in calls_behind(*place)
        )
    return any(transforms_samples(*one) for one in classes) and any(
        draws(*one) for one in transforms(module)
    )


def applied(module: Module, made: ast.Call) -> list[tuple[Module, ast.Call]] | None:
    """The calls behind a dataset's transforms, or None where they cannot be seen."""
    given = [one.value for one in made.keywords if APPLIED.search(one.arg or "")]
    given += [one for one in made.args if APPLIED.search(last_name(one))]
    given += [one for one in made.args if isinstance(one, ast.Call)]
    found = [one for value in given for one in calls_behind(module, value)]
    return found or None


def call_draws(module: Module, call: ast.Call) -> bool:
    """Whether a call makes an object of the project's that draws when it is called."""
    return any(
        draws(other, [m for m in node.body if isinstance(m, FUNCTIONS) and m.name == "__call__"])
        for other, node in module.project.classes_named(module, call.func) or ()
    )


def evaluates(module: Module) -> bool:
    """Whether a file is a script for evaluation, as `test.py`."""
    named = EVALUATION.search(PurePath(module.name).stem)
    return named is not None and "backward" not in module.calls


def is_shown(module: Module, loader: ast.Call) -> bool:
    """Whether a file of datasets only tries one of them, under `if __name__ == "__main__"`."""
    return "backward" not in module.calls and any(
        isinstance(around, ast.If) and mentions(around.test, "__main__")
        for around in module.ancestors(loader)
    )


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
