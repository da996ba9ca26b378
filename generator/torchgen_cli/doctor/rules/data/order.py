"""The order in which samples are trained on."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    last_name,
    mentions,
    walk,
    written,
)
from ..shared.datasets import dataset_classes
from ..shared.flag_places import names_of
from .data import for_evaluation

TRAINING = re.compile(r"(^|_)(train|training|trn)(_|$)", re.I)


@rule(
    "TG205",
    "the training samples come in the same order each epoch",
    why="""A DataLoader shuffles only on request. Batches of neighbours in a file, such as those of
    one class, give gradients that swing back and forth, and batch norm sees one class at a
    time.""",
    remedy="pass `shuffle=True` to the training DataLoader",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path):
        self.lines = path.read_text().splitlines()

    def __getitem__(self, index):
        return self.lines[index]


def load(path):
    train_dataset = Lines(path)
    train_loader = DataLoader(train_dataset, batch_size=8)  # <--
    return train_loader
""",
    good="""
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path):
        self.lines = path.read_text().splitlines()

    def __getitem__(self, index):
        return self.lines[index]


def load(path):
    train_dataset = Lines(path)
    train_loader = DataLoader(train_dataset, batch_size=8, shuffle=True)
    return train_loader
""",
    severity=Severity.WARNING,
)
def unshuffled(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("DataLoader"):
        target = module.parents[call]
        while isinstance(target, ast.IfExp):
            target = module.parents[target]
        if has_stars(call) or not isinstance(target, ast.Assign) or for_evaluation(module, call):
            continue
        name, dataset = written(target.targets[0]), argument(call, 0, "dataset")
        if not any(TRAINING.search(n.split(".")[-1]) for n in (name, written(dataset or call))):
            continue
        shuffle, sampler = argument(call, 2, "shuffle"), argument(call, 3, "sampler")
        if argument(call, 4, "batch_sampler") is not None or is_counted(module, target):
            continue
        if shuffle is None and sampler is None:
            classes = dataset_classes(module, call)
            if classes and all(keeps_order(node) for _, node in classes):
                yield Spot(call)
        elif (shuffle is None or is_constant(shuffle, False)) and often_none(module, sampler):
            yield Spot(call, "with one process, which has no sampler")
        elif shuffle is None and isinstance(sampler, ast.Name) and may_stay_none(module, sampler):
            classes = dataset_classes(module, call)
            if classes and all(keeps_order(node) for _, node in classes):
                yield Spot(call, "if the sampler stays None")


def is_counted(module: Module, target: ast.Assign) -> bool:
    """Whether nothing is done with a loader but to ask for its length."""
    function, name = module.function(target), last_name(target.targets[0])
    if not isinstance(target.targets[0], ast.Name) or name in module.project.imported_parts:
        return False
    reads = [
        one
        for one in names_of(module).get(name, ())
        if isinstance(function, ast.Module) or module.function(one) is function
    ]
    return bool(reads) and all(
        isinstance(around := module.parents[one], ast.Call) and written(around.func) == "len"
        for one in reads
    )


def often_none(module: Module, sampler: ast.expr | None) -> bool:
    """Whether it is `DistributedSampler(...) if distributed else None`."""
    if not isinstance(sampler, ast.Name):
        return False
    values = module.value_in(sampler, module.function(sampler))
    return len(values) == 1 and any(
        isinstance(one, ast.IfExp)
        and isinstance(one.body, ast.Call)
        and module.is_torch(one.body.func, "DistributedSampler")
        and is_constant(one.orelse, None)
        for one in values
    )


def may_stay_none(module: Module, sampler: ast.Name) -> bool:
    """Whether it is None at first, or in a branch, and a sampler is only made under a condition."""
    scope = module.function(sampler)
    found = [a for a in module.assigned.get(sampler.id, ()) if module.function(a) is scope]
    unset = [a for a in found if is_constant(a.value, None)]
    made = [a for a in found if isinstance(a.value, ast.Call)]
    return (
        bool(unset and made)
        and len(unset) + len(made) == len(found)
        and all(isinstance(module.parents[a], ast.If) for a in made)
        and not covers(module, made)
    )


def covers(module: Module, made: list[ast.Assign]) -> bool:
    """Whether both branches of a condition, or several, make a sampler."""
    return len({module.parents[a] for a in made}) < len(made)


def keeps_order(node: ast.ClassDef) -> bool:
    """Whether a dataset gives the samples that it is asked for, and does not shuffle them."""
    getters = [m for m in node.body if isinstance(m, FUNCTIONS) and m.name == "__getitem__"]
    numbers = [getter.args.args[1].arg for getter in getters if len(getter.args.args) == 2]
    names = [one for getter in getters for one in walk(getter) if isinstance(one, ast.Name)]
    asked = any(one.id in numbers for one in names)
    return asked and not mentions(node, "shuffle", "perm")
