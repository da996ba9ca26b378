"""Loaders and samplers."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Loop,
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_nodes,
    parameters,
    walk,
    written,
)
from ..shared.loops import is_backward
from .told import asks_for_processes, is_always_made, shuffles

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
    return tested or any(EVALUATION.search(written(name)) for name in names if name is not None)


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
    near = module.project.near(module) if samplers else []
    told = [(other, call) for other in near for call in other.calls.get("set_epoch", ())]
    if module.project.has_framework(module) and not wraps_by_hand(module):
        return
    if not any(is_of_epochs(other, loop) for other in near for loop in other.loops):
        return
    for call in samplers:
        if has_stars(call) or for_evaluation(module, call):
            continue
        if not shuffles(module, argument(call, 3, "shuffle")):
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


def is_of_epochs(module: Module, loop: Loop) -> bool:
    """Whether a loop goes through the data again and again."""
    if isinstance(loop, ast.While):
        inner = [node for node in own_nodes(loop) if isinstance(node, ast.For)]
        endless = any(  # for batch in loader: yield batch
            isinstance(one, ast.Yield) and is_loader(module, around.iter)
            for around in inner
            for one in own_nodes(around)
        ) or any(
            isinstance(one, ast.YieldFrom) and is_loader(module, one.value)
            for one in own_nodes(loop)
        )
        reaches = module.project.reaches
        trains = endless or any(reaches(module, one, is_backward) for one in inner)
        return is_constant(loop.test, True, 1) and trains
    counts = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in ("range", "trange")
    return "epoch" in written(loop.target).lower() or (counts and mentions(loop.iter, "epoch"))


def is_loader(module: Module, iterable: ast.expr) -> bool:
    """Whether what a loop goes through is a loader, by its name or by that of what is given."""
    function = module.function(iterable)
    name = written(iterable)
    if "loader" in name or not isinstance(function, FUNCTIONS) or name not in parameters(function):
        return "loader" in name
    place = parameters(function).index(name)
    given = (argument(call, place, name) for _, call in module.project.calls_of(module, function))
    return any(one is not None and "loader" in written(one) for one in given)


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
