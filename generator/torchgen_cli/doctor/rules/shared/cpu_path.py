"""What a program comes to on a machine without a GPU, as far as its code tells."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    asks_main,
    blocks_of,
    children,
    mentions,
    walk,
    written,
)
from .gpu_flags import is_moved, leaves, set_where_available, told_by_callers
from .runs import Steps, come_to, steps_of, within

# what a condition asks that a run without a GPU does not fulfil, or may not
GUARDS: tuple[str, ...] = ("_amp", "apex", "available", "backend", "cpu", "cuda", "ddp", "device")
GUARDS += ("distrib", "fp16", "gpu", "half", "local_rank", "mixed", "nccl", "parallel", "precision")
GUARDS += ("dali", "tensorrt", "world_size")
Conditional = ast.If | ast.IfExp | ast.BoolOp | ast.While


@dataclass(eq=False)
class Way:
    """What runs without a GPU, and the conditions beside which it goes on."""

    nodes: list[tuple[Module, ast.AST]] = field(default_factory=list)
    conditions: list[tuple[Module, ast.AST]] = field(default_factory=list)
    """What asks for a GPU; of what is below them nothing is among the nodes."""


@kept
def cpu_path(start: Module) -> Way:
    """What a file comes to when it is started, but for what is under a condition on the GPU."""
    way = Way()
    way.nodes += come_to(start, partial(steps_without, way))
    return way


def steps_without(way: Way, module: Module, scope: ast.AST, started: bool) -> Steps:
    """What a scope runs without a GPU."""
    return steps_of(module, nodes_without(way, module, scope, started))


def nodes_without(way: Way, module: Module, scope: ast.AST, started: bool) -> Iterator[ast.AST]:
    """The nodes of a scope that are run without a GPU; what it defines is none."""
    below: Sequence[ast.AST] = children(scope)
    if isinstance(scope, FUNCTIONS):
        below = [*scope.body]
    pending = without_cut_off(module, scope, below)
    for node in pending:  # it grows
        if isinstance(node, ast.Try | ast.Lambda) or (asks_main(node) and not started):
            continue
        if goes_through_gpus(module, node):
            continue  # there are none to go through
        if isinstance(node, Conditional) and asks_for_gpu(module, node):
            way.conditions.append((module, node))
            continue
        yield node
        inner = isinstance(node, FUNCTIONS)
        pending += within(node) if inner else without_cut_off(module, node, children(node))


def goes_through_gpus(module: Module, node: ast.AST) -> bool:
    """Whether a loop or a list goes through the GPUs: `for i in range(device_count())`."""
    sources = [one.iter for one in getattr(node, "generators", ())]
    sources += [node.iter] if isinstance(node, ast.For) else []
    asked = (one for source in sources for one in asked_by_condition(module, source))
    return any(mentions(one, "device_count") for one in asked)


def without_cut_off(module: Module, node: ast.AST, below: Sequence[ast.AST]) -> list[ast.AST]:
    """The nodes right below, without those behind `if not is_available(): return`."""
    cut: set[ast.AST] = set()
    for block in blocks_of(node):
        for place, one in enumerate(block):
            if isinstance(one, ast.If) and asks_for_gpu(module, one) and leaves(one):
                cut.update(block[place + 1 :])
    return [one for one in below if one not in cut]


@kept
def asks_for_gpu(module: Module, condition: ast.AST) -> bool:
    """Whether a condition may be about the device."""
    asked = asked_by_condition(module, condition)
    if any(mentions(one, *GUARDS) for one in asked):
        return True
    first = module.project.near(module)[0]
    below = [one for part in asked for one in walk(part)]
    flags = {one.attr for one in below if isinstance(one, ast.Attribute)}
    names = flags.union(one.id for one in below if isinstance(one, ast.Name))
    return not flags.isdisjoint(set_where_available(first)) or not names.isdisjoint(
        told_by_callers(first)
    )


def asked_by_condition(module: Module, condition: ast.AST) -> list[ast.AST]:
    """What a condition asks: its test, and what the names in it stand for."""
    test = getattr(condition, "test", condition)
    names = [written(one) for one in walk(test) if isinstance(one, ast.Name | ast.Attribute)]
    given = (one.value for name in names for one in module.assigned.get(name, ()))
    return [test, *(value for value in given if not is_moved(value))]
