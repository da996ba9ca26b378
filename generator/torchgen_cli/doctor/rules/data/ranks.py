"""What each of several processes must do for itself, and what only one may do."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    asks_main,
    has_stars,
    is_constant,
    last_name,
    mentions,
    own_calls,
    receiver,
    walk,
    written,
)
from ..distributed.distributed import DDP
from ..shared.one_process import is_one_unless_asked
from ..shared.states import saves
from .data import for_evaluation

GUARDS = ("rank", "main", "master", "primary", "chief", "gpu", "local", "proc", "leader", "is_root")
SHARING = re.compile(
    rb"DistributedSampler|num_replicas|Sampler\(|IterableDataset|WebDataset|wds\.|dali|rank::"
    rb"|BatchSampler|split_dataset_by_node|\w\[[\w.]*local_rank\s*\]"
)


@rule(
    "TG206",
    "each process reads the whole dataset",
    why="""The model is wrapped for several processes, but nothing divides the samples: each process
    reads all of them, in its own order. One epoch is as many epochs as there are processes, and
    takes as long as with one.""",
    remedy="give the loader a DistributedSampler, and call its `set_epoch`",
    source=f"{STABLE}/data.html#torch.utils.data.distributed.DistributedSampler",
    bad="""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def train(model, dataset, train_epoch, epochs):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)  # <--
    for epoch in range(epochs):
        train_epoch(model, loader)
""",
    good="""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def train(model, dataset, train_epoch, epochs):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        train_epoch(model, loader)
""",
)
def undivided(module: Module) -> Iterator[ast.AST]:
    if not joins(module) or module.project.has_framework(module):
        return
    near = module.project.near(module)
    if any(SHARING.search(module.project.contents[other.name]) for other in near):
        return
    for call in module.torch_calls("DataLoader"):
        shuffled = is_constant(argument(call, 2, "shuffle"), True) or (
            has_stars(call) and asks_to_shuffle(module, call)
        )
        if shuffled and not for_evaluation(module, call):
            yield call


def joins(module: Module) -> bool:
    """Whether a file wraps a model for several processes, which it joins."""
    return "init_process_group" in module.calls and (
        "DistributedDataParallel" in module.calls or "DDP" in module.calls
    )


def asks_to_shuffle(module: Module, call: ast.Call) -> bool:
    """Whether the options that are handed on are written out, with `shuffle` among them."""
    return any(
        isinstance(value, ast.Dict)
        and any(
            is_constant(key, "shuffle") and is_constant(one, True)
            for key, one in zip(value.keys, value.values, strict=True)
        )
        for given in call.keywords
        if given.arg is None
        for value in module.value_in(given.value, module.function(call))
    )


@rule(
    "TG703",
    "every process writes the same checkpoint",
    why="""Several processes open one file at once and overwrite each other: a reader may get half
    of one and half of another, and a kill leaves it broken. It is a hint where a flag that is 1
    by default, and that no page or script sets, has to ask for more than one process.""",
    remedy="save only where `dist.get_rank() == 0`, and let the others wait",
    source=DDP,
    bad="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, epochs, run_epoch):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    for epoch in range(epochs):
        run_epoch(model)
        torch.save(model.module.state_dict(), "last.pt")  # <--
""",
    good="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, epochs, run_epoch):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    for epoch in range(epochs):
        run_epoch(model)
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "last.pt")
""",
    severity=Severity.WARNING,
)
def saved_by_all(module: Module) -> Iterator[Spot]:
    if not joins(module):
        return
    for call in saves(module):
        scope = module.function(call)
        path = argument(call, 1, "f")
        if path is None or mentions(path, *GUARDS) or guarded(module, call):
            continue
        if any(mentions(value, *GUARDS) for value in module.value_in(path, scope)):
            continue  # a file for each
        if isinstance(scope, FUNCTIONS) and not own_calls(scope, "init_process_group"):
            callers = module.project.calls_of(module, scope)
            if all(
                guarded(other, one)
                for other, one in callers
                if not is_of_another_class(module, scope, other, one)
            ):
                continue
        yield Spot(call, unsure=is_one_unless_asked(module))
        return


def is_of_another_class(module: Module, method: ast.AST, other: Module, call: ast.Call) -> bool:
    """Whether a method that is called on `self` is one of the same name, of a class beside."""
    own, around = module.class_of(method), other.class_of(call)
    if own is None or around is None or written(receiver(call) or call) != "self":
        return False
    one = module.project.derives(other, around, own.name)
    return around is not own and not one and not module.project.derives(module, own, around.name)


def guarded(module: Module, call: ast.expr | ast.stmt) -> bool:
    """Whether it runs on chosen ranks alone: under a condition, or after the others left."""
    scope = module.function(call)
    if isinstance(scope, FUNCTIONS) and any(mentions(one, *GUARDS) for one in scope.decorator_list):
        return True
    around = [one for one in module.ancestors(call) if isinstance(one, ast.If | ast.IfExp)]
    asked = [one.test for one in around if not asks_main(one)]
    asked += [  # in the other branch of `if distributed: if rank == 0: ...`
        node.test
        for one in around
        if isinstance(one, ast.If) and not any(call in walk(part) for part in one.body)
        for part in one.body
        for node in walk(part)
        if isinstance(node, ast.If)
    ]
    asked += [
        node.test
        for node in walk(scope)
        if isinstance(node, ast.If)
        and node.lineno < call.lineno
        and any(isinstance(one, ast.Return | ast.Continue) for one in walk(node))
    ]
    return any(asks_for_a_rank(module, test, scope) for test in asked)


def asks_for_a_rank(module: Module, test: ast.expr, scope: ast.AST) -> bool:
    """Whether a condition, or what a name in it was given, is about the process."""
    if mentions(test, *GUARDS) or any(is_first_device(one) for one in walk(test)):
        return True
    names = (node for node in walk(test) if isinstance(node, ast.Name | ast.Attribute))
    return any(mentions(v, *GUARDS) for name in names for v in module.value_in(name, scope))


def is_first_device(node: ast.AST) -> bool:
    """Whether it asks for the first device, `device == 0`, which is that of the first process."""
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Eq)
        and "device" in last_name(node.left).lower()
        and is_constant(node.comparators[0], 0)
    )
