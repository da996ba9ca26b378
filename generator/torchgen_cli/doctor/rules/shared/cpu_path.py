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
    is_constant,
    last_name,
    mentions,
    own_calls,
    walk,
    written,
)
from .runs import come_to, within

# what a condition asks that a run without a GPU does not fulfil, or may not
GUARDS: tuple[str, ...] = ("_amp", "apex", "available", "backend", "cpu", "cuda", "ddp", "device")
GUARDS += ("distrib", "fp16", "gpu", "half", "local_rank", "mixed", "nccl", "parallel", "precision")
GUARDS += ("dali", "tensorrt", "world_size")
Conditional = ast.If | ast.IfExp | ast.BoolOp | ast.While
LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)


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
    way.nodes += come_to(start, partial(steps, way))
    return way


def steps(way: Way, module: Module, scope: ast.AST, started: bool) -> Iterator[ast.AST]:
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


def leaves(condition: ast.If) -> bool:
    """Whether one way of a condition leaves the block."""
    return any(
        isinstance(block[-1], LEAVING) or bool(own_calls(block[-1], "exit", "_exit"))
        for block in (condition.body, condition.orelse)
        if block
    )


def asks_for_gpu(module: Module, condition: ast.AST) -> bool:
    """Whether a condition may be about the device."""
    asked = asked_by_condition(module, condition)
    names = {last_name(one) for one in walk(asked[0]) if isinstance(one, ast.Name | ast.Attribute)}
    flags = names and set_where_available(module.project.near(module)[0])
    return any(mentions(one, *GUARDS) for one in asked) or not names.isdisjoint(flags)


@kept
def set_where_available(first: Module) -> set[str]:
    """The attributes that files of a program give what holds with a GPU alone.

    So `args.mixed` after `args.mixed = args.mixed and torch.cuda.is_available()`, and after
    `if not torch.cuda.is_available(): args.mixed = False`.
    """
    near = first.project.near(first)
    given = {
        name.rpartition(".")[2]
        for other in near
        for name, given in other.assigned.items()
        if "." in name
        and any(one.value is not None and mentions(one.value, "is_available") for one in given)
    }
    return given.union(*(turned_off(other) for other in near))


def turned_off(module: Module) -> Iterator[str]:
    """The flags that a file turns off, or refuses, where no GPU is available."""
    for call in module.calls.get("is_available", ()):
        for around in module.ancestors(call):
            if not isinstance(around, ast.If) or not any(one is call for one in walk(around.test)):
                continue
            asked = walk(around.test) if leaves(around) else ()
            yield from (one.attr for one in asked if isinstance(one, ast.Attribute))
            for one in (*around.body, *around.orelse):
                if isinstance(one, ast.Assign) and is_constant(one.value, False, None):
                    yield from (last_name(target) for target in one.targets)


def asked_by_condition(module: Module, condition: ast.AST) -> list[ast.AST]:
    """What a condition asks: its test, and what the names in it stand for."""
    test = getattr(condition, "test", condition)
    names = [written(one) for one in walk(test) if isinstance(one, ast.Name | ast.Attribute)]
    given = (one.value for name in names for one in module.assigned.get(name, ()))
    return [test, *(value for value in given if not is_moved(value))]


def is_moved(value: ast.AST) -> bool:
    """Whether it is data that was moved to a device, and so no answer which one to take."""
    return any(
        isinstance(one, ast.Call) and last_name(one.func) in ("cpu", "cuda") for one in walk(value)
    )
