"""What a program comes to on a machine without a GPU, as far as its code tells."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...kept import kept
from ...lookup import definitions
from ...methods import Asked, asked_by
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    asks_main,
    blocks_of,
    children,
    last_name,
    mentions,
    own_calls,
    walk,
    written,
)
from .programs import run_at_start

# what a condition asks that a run without a GPU does not fulfil, or may not
GUARDS: tuple[str, ...] = ("_amp", "apex", "available", "backend", "cpu", "cuda", "ddp", "device")
GUARDS += ("distrib", "fp16", "gpu", "half", "local_rank", "mixed", "nccl", "parallel", "precision")
GUARDS += ("world_size",)
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
    files = run_at_start(start)
    alive: set[ast.AST] = set()
    made: set[ast.ClassDef] = set()
    asked: dict[str, list[Asked]] = defaultdict(list)
    pending: list[tuple[Module, ast.AST]] = [(one, one.tree) for one in files]
    while pending:
        for module, scope in pending:  # it grows
            for node in steps(module, scope, way, module is start):
                way.nodes.append((module, node))
                for one in asked_by(module, node):
                    asked[one.name].append(one)
                for other, definition in named(module, node):
                    if other in files and definition not in alive:
                        alive.add(definition)
                        if isinstance(definition, ast.ClassDef):
                            made.update(with_bases(other, definition))
                        else:
                            pending.append((other, definition))
        pending = [
            (module, method)
            for module in files
            for method in module.functions
            if method not in alive and is_run(module, method, made, asked)
        ]
        alive.update(method for _, method in pending)
    return way


def is_run(
    module: Module, method: Function, made: set[ast.ClassDef], asked: dict[str, list[Asked]]
) -> bool:
    """Whether a method is asked for, and its class is made."""
    owner = module.parents[method]
    if not isinstance(owner, ast.ClassDef) or owner not in made or method.name == "cuda":
        return False
    always = method.name.startswith("__") or method.name == "forward"
    return always or any(one.may_be(owner, method) for one in asked.get(method.name, ()))


def with_bases(module: Module, node: ast.ClassDef, depth: int = 4) -> Iterator[ast.ClassDef]:
    """A class, and those of the project from which it derives."""
    yield node
    for base in node.bases if depth else ():
        for other, parent in module.project.classes_named(module, base) or ():
            yield from with_bases(other, parent, depth - 1)


def named(module: Module, node: ast.AST) -> Iterator[tuple[Module, Function | ast.ClassDef]]:
    """The functions and classes that a name stands for."""
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    project = module.project
    for other, kind in definitions(module, node, project.classes) or ():
        yield other, kind
    for other, function in definitions(module, node, project.functions) or ():
        inner = other is module and isinstance(node, ast.Name)
        if isinstance(other.parents[function], ast.Module) or (
            inner and other.class_of(function) is None
        ):
            yield other, function


def steps(module: Module, scope: ast.AST, way: Way, started: bool) -> Iterator[ast.AST]:
    """The nodes of a scope that are run without a GPU; what it defines is none."""
    below: Sequence[ast.AST] = children(scope)
    if isinstance(scope, FUNCTIONS):
        below = [*scope.body]
    pending = without_cut_off(module, scope, below)
    for node in pending:  # it grows
        if isinstance(node, ast.Try | ast.Lambda) or (asks_main(node) and not started):
            continue
        if isinstance(node, Conditional) and asks_for_gpu(module, node):
            way.conditions.append((module, node))
            continue
        yield node
        if isinstance(node, FUNCTIONS):  # the defaults are computed where it is defined
            pending += [one for one in (*node.args.defaults, *node.args.kw_defaults) if one]
        else:
            pending += without_cut_off(module, node, children(node))


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
    return any(mentions(one, *GUARDS) for one in asked_by_condition(module, condition))


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
