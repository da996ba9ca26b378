"""Random numbers in the processes that load data."""

import ast
from collections.abc import Iterator

from ..lookup import path_of
from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    receiver,
    same,
    walk,
    written,
)
from .data import for_evaluation
from .randomness import SEEDERS

DATASETS = (
    "torch.utils.data.Dataset",
    "torch.utils.data.IterableDataset",
    "data.Dataset",
    "Dataset",
    "IterableDataset",
    "VisionDataset",
)
SAMPLE = ("__getitem__", "__getitems__", "__iter__")
GENERATORS = {
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "numpy.random.Generator",
    "random.Random",
    "torch.Generator",
}


def worker_loaders(module: Module) -> Iterator[ast.Call]:
    """The DataLoaders that have worker processes."""
    for call in module.torch_calls("DataLoader"):
        workers = argument(call, 5, "num_workers")
        if workers is not None and not is_constant(workers, 0) and not has_stars(call):
            yield call


def dataset_classes(module: Module, loader: ast.Call) -> list[tuple[Module, ast.ClassDef]]:
    """The project's classes of which the loader's dataset may be, where that can be seen."""
    dataset = argument(loader, 0, "dataset")
    if dataset is None:
        return []
    values = [dataset, *module.value_in(dataset, module.function(loader))]
    if written(dataset):
        values += module.value_in(dataset, module.tree)
    made = [value.func for value in values if isinstance(value, ast.Call)]
    if any(isinstance(one, ast.Call) and last_name(one.func) == "eval" for one in made):
        near = module.project.near(module)  # eval("dataset." + name)(...): one of the program's
        return [(other, c) for other in near for c in other.classes if is_dataset(other, c)]
    if not made:  # an argument: it can only be seen where the file knows of one kind
        own = [node for node in module.classes if is_dataset(module, node)]
        return [(module, node) for node in own] if len(own) == 1 else []
    return [
        found
        for one in made
        for found in module.project.classes_named(module, one) or ()
        if is_dataset(*found)
    ]


def is_dataset(module: Module, node: ast.ClassDef) -> bool:
    """Whether a class is a dataset."""
    return module.project.derives(module, node, *DATASETS)


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


def with_helpers(methods: list[Function]) -> list[Function]:
    """The methods of a dataset that get a sample, and those that they call."""
    found = [item for item in methods if item.name in SAMPLE]
    for method in found:  # it grows
        called = {last_name(call.func) for call in own_calls(method)}
        found += [item for item in methods if item.name in called and item not in found]
    return found


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
        if any(global_draws(*found) for found in classes) or (
            not classes and draws_in_transforms(module)
        ):
            yield Spot(loader, unsure=unsure)


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
        isinstance(around, ast.Call) and last_name(around.func) == "Compose"
        for other, call in module.project.callers.get(name, ())
        if other is module or path_of(other)[-1] in imported
        for around in other.ancestors(call)
    )


@rule(
    "TG102",
    "a random generator kept on the dataset is copied into each worker",
    why="""Each worker process gets a copy of the dataset, so all workers draw the same numbers
    from their copies, and each epoch, whose workers are new copies, draws them again.""",
    remedy="make the generator in `__getitem__` from (seed, epoch, index), or once in each worker",
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


@rule(
    "TG103",
    "each epoch seeds its workers alike, so it replays the same random numbers",
    why="""Workers are started anew for each epoch, and this `worker_init_fn` gives worker k the
    same seed every time: every epoch draws the same augmentations.""",
    remedy="""seed from `torch.initial_seed() % 2**32`, which is another one in each epoch, or
    set `persistent_workers=True`""",
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
def same_seed_each_epoch(module: Module) -> Iterator[ast.AST]:
    for loader in worker_loaders(module):
        start = keyword(loader, "worker_init_fn")
        kept = keyword(loader, "persistent_workers")
        if start is None or not (kept is None or is_constant(kept, False)):
            continue
        if isinstance(start, ast.Call) and last_name(start.func) == "partial" and start.args:
            if mentions(start, "epoch"):
                continue
            start = start.args[0]  # what is given beside it stays the same
        functions: list[ast.AST] = [start] if isinstance(start, ast.Lambda) else []
        if isinstance(start, ast.Name):
            functions = [f for f in module.functions if f.name == start.id]
        if isinstance(start, ast.Name) and not functions and start.id in module.imports:
            named = module.project.functions.get(start.id, [])
            functions = [function for _, function in named] if len(named) == 1 else []
        if functions and all(seeds_by_worker_alone(module, function) for function in functions):
            yield loader


def seeds_by_worker_alone(module: Module, function: ast.AST) -> bool:
    """Whether a `worker_init_fn` seeds, and from nothing that differs from epoch to epoch."""
    if mentions(function, "initial_seed", "worker_info", "epoch", "urandom", "time", "entropy"):
        return False
    seeding = [
        call
        for call in own_calls(function)
        if module.qualified(call.func) in ("numpy.random.seed", "random.seed", "torch.manual_seed")
    ]
    for call in seeding:
        if not call.args:
            return False  # from the system's entropy
        if any(
            last_name(n.func) not in ("int", "hash")
            for n in walk(call.args[0])
            if isinstance(n, ast.Call)
        ):
            return False
        if any(isinstance(n, ast.Subscript) for n in walk(call.args[0])):
            return False  # numpy.random.get_state()[1][0]
    return bool(seeding) and only_plain_values(function)


def only_plain_values(function: ast.AST) -> bool:
    """Whether all that the function computes itself comes without a call to something unknown."""
    values = [n.value for n in walk(function) if isinstance(n, ast.Assign)]
    return not any(isinstance(n, ast.Call) for value in values for n in walk(value))
