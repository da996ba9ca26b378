"""Loaders and samplers."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    keyword,
    walk,
    written,
)
from ..shared.programs import run_with
from ..shared.weights_alone import is_script
from .told import (
    asks_for_processes,
    is_always_made,
    is_made_anew,
    is_of_epochs,
    shuffles,
    told_of_epochs,
)

EVALUATION = re.compile(
    r"(^|[^a-z])(val|vali|valid|validate|validation|eval|evaluate|evaluation|test)"
    r"(data)?(set|loader)?([^a-z]|$)",
    re.I,
)


def for_evaluation(module: Module, call: ast.Call) -> bool:
    """Whether the names around say that a loader or sampler serves evaluation."""
    target = module.parents[call]
    while isinstance(target, ast.IfExp):
        target = module.parents[target]
    dataset = argument(call, 0, "dataset")
    names = [dataset]
    if isinstance(target, ast.Assign):
        names += target.targets
    scope = module.function(call)
    if isinstance(scope, FUNCTIONS) and EVALUATION.search(scope.name):
        return "train" not in scope.name.lower()
    tested = isinstance(dataset, ast.Call) and is_constant(keyword(dataset, "test_mode"), True)
    keys = [getattr(one.slice, "value", "") for one in names if isinstance(one, ast.Subscript)]
    texts = [*map(written, filter(None, names)), *map(str, keys)]  # loaders["test"] = ...
    return tested or any(map(EVALUATION.search, texts))


def for_each_split(module: Module, call: ast.Call) -> bool:
    """Whether it is the loader of each of `{x: DataLoader(...) for x in ["train", "val"]}`."""
    around = module.parents[call]
    return isinstance(around, ast.DictComp) and any(
        isinstance(one, ast.Constant) and EVALUATION.search(str(one.value))
        for generator in around.generators
        for one in walk(generator.iter)
    )


@rule(
    "TG201",
    "the DataLoader rejects this combination of arguments",
    why="""A sampler decides the order, so `shuffle=True` is rejected with it; a batch sampler
    decides the batches, so batch size, shuffling, sampler and `drop_last` are.""",
    remedy="leave `shuffle` out and let the sampler shuffle",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
from torch.utils.data import DataLoader, WeightedRandomSampler


def load(dataset, weights):
    sampler = WeightedRandomSampler(weights, len(weights))
    return DataLoader(dataset, batch_size=8, sampler=sampler, shuffle=True)  # <--
""",
    good="""
from torch.utils.data import DataLoader, WeightedRandomSampler


def load(dataset, weights):
    sampler = WeightedRandomSampler(weights, len(weights))
    return DataLoader(dataset, batch_size=8, sampler=sampler)
""",
)
def shuffled_sampler(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("DataLoader"):
        shuffle = is_constant(argument(call, 2, "shuffle"), True)
        batch_sampler = surely_set(module, call, argument(call, 4, "batch_sampler"))
        drop_last = is_constant(keyword(call, "drop_last"), True)
        size = argument(call, 1, "batch_size")
        sized = isinstance(size, ast.Constant) and size.value not in (1, None)
        if (shuffle and surely_set(module, call, argument(call, 3, "sampler"))) or (
            batch_sampler and (shuffle or drop_last or sized)
        ):
            yield call


def surely_set(module: Module, call: ast.Call, value: ast.expr | None) -> bool:
    """Whether an argument cannot be None: it is made here, or before and only by calls."""
    if isinstance(value, ast.Name):
        values = module.value_in(value, module.function(call))
        return bool(values) and all(isinstance(one, ast.Call) for one in values)
    return isinstance(value, ast.Call)


@rule(
    "TG202",
    "`set_epoch` is never called, so each epoch has the same order",
    why="""A DistributedSampler shuffles by (seed, epoch), and learns the epoch only from
    `set_epoch`. Without it every epoch has the same batches in the same order.""",
    remedy="call `sampler.set_epoch(epoch)` at the start of each epoch",
    source=f"{STABLE}/data.html#torch.utils.data.distributed.DistributedSampler",
    bad="""
from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, epochs, step):
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))  # <--
    for epoch in range(epochs):
        for batch in loader:
            step(batch)
""",
    good="""
from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
""",
)
def no_set_epoch(module: Module) -> Iterator[ast.AST | Spot]:
    samplers = list(module.torch_calls("DistributedSampler"))
    if not samplers or (module.project.has_framework(module) and not wraps_by_hand(module)):
        return
    # what another script tells its own sampler is no part of this one's run
    near = run_with(module) if is_script(module) else module.project.near(module)
    if not any(is_of_epochs(other, loop) for other in near for loop in other.loops):
        return
    told = list(told_of_epochs(near))
    for call in samplers:
        if has_stars(call) or for_evaluation(module, call):
            continue
        if not shuffles(module, argument(call, 3, "shuffle")) or is_made_anew(module, call):
            continue
        if not told:
            yield call
        elif all(asks_for_processes(*one) for one in told) and is_always_made(module, call):
            # a sampler that asks the group for its number ends the program where there is none,
            # and so does a wrapped model
            alone = argument(call, 1, "num_replicas") is not None
            wrapped = module.torch_calls("DistributedDataParallel")
            alone = alone and not any(is_always_made(module, one) for one in wrapped)
            yield Spot(call, "with one process", unsure=not alone)


def wraps_by_hand(module: Module) -> bool:
    """Whether a file joins the processes and wraps the model, so that no framework does."""
    joins = "init_process_group" in module.calls
    return joins and any(module.torch_calls("DistributedDataParallel"))


def in_evaluation_branch(module: Module, call: ast.Call) -> bool:
    """Whether it is made for evaluation alone: `elif mode == "online_eval"`."""
    inner: ast.AST = call
    for around in module.ancestors(call):
        if isinstance(around, ast.If) and inner in around.body:
            texts = [str(n.value) for n in walk(around.test) if isinstance(n, ast.Constant)]
            if any(map(EVALUATION.search, texts)) and "train" not in " ".join(texts):
                return True
        inner = around
    return False
