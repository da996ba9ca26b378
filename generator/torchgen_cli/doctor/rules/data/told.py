"""What samplers are told of each epoch."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Loop,
    argument,
    is_constant,
    last_name,
    mentions,
    own_nodes,
    parameters,
    written,
)
from ..shared.loops import is_backward
from ..shared.origins import given
from .overlapping import HELD_OUT, TRAINING


def shuffles(module: Module, shuffle: ast.expr | None) -> bool:
    """Whether a sampler shuffles, by default or where a caller says so."""
    if shuffle is None or is_constant(shuffle, True):
        return True
    function = module.function(shuffle)
    if not isinstance(shuffle, ast.Name) or not isinstance(function, FUNCTIONS):
        return False
    return shuffle.id in parameters(function) and any(
        is_constant(value, True) for _, value in given(module, function, shuffle.id)
    )


def asks_for_processes(module: Module, call: ast.AST) -> bool:
    """Whether `set_epoch` is called `if args.distributed` alone."""
    return any(
        isinstance(around, ast.If) and last_name(around.test) == "distributed"
        for around in module.ancestors(call)
    )


def is_always_made(module: Module, call: ast.Call) -> bool:
    """Whether no condition about processes stands around a sampler that is kept as it is."""
    statement = module.parents[call]
    around = [one for one in module.ancestors(call) if isinstance(one, ast.If | ast.IfExp)]
    asked = any(mentions(one.test, "dist", "world", "rank", "ddp", "gpu") for one in around)
    return isinstance(statement, ast.Assign) and not asked


def told_of_epochs(modules: list[Module]) -> Iterator[tuple[Module, ast.AST]]:
    """Where a sampler is told the epoch: by its method, or by the attribute that it reads."""
    for module in modules:
        for call in module.calls.get("getattr", ()):
            if is_constant(argument(call, 1, ""), "set_epoch"):
                yield module, call
        for node in module.attributes:
            owner = written(node.value)
            held_out = HELD_OUT.search(owner) and not TRAINING.search(owner)
            stored = isinstance(node.ctx, ast.Store) and "sampler" in owner.lower()
            called = isinstance(module.parents[node], ast.Call)
            if not held_out and (
                (node.attr == "set_epoch" and called) or (node.attr == "epoch" and stored)
            ):
                yield module, node


def is_made_anew(module: Module, sampler: ast.Call) -> bool:
    """Whether a sampler gets a seed of its own for each epoch."""
    seed = argument(sampler, 4, "seed")
    return seed is not None and mentions(seed, "epoch")


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
        # `while step < steps: for batch in loader: ...`
        counts = isinstance(loop.test, ast.Compare) and any(
            mentions(n.iter, "loader") for n in inner
        )
        return trains and (counts or is_constant(loop.test, True, 1))
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
