"""Evaluations that leave samples out."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module, Project
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    is_constant,
    last_name,
    own_calls,
    own_nodes,
    same,
    walk,
    written,
)
from ..shared.callers import given_through
from .branches import dropped_by_branch
from .data import EVALUATION, for_each_split, for_evaluation
from .option_dicts import in_options


@rule(
    "TG204",
    "the evaluation skips samples",
    why="""`drop_last=True` drops the last, incomplete batch: the metric does not cover the whole
    set, and changes with the batch size.""",
    remedy="omit `drop_last` in the evaluation",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
from torch.utils.data import DataLoader


def load(test_set):
    return DataLoader(test_set, batch_size=64, drop_last=True)  # <--
""",
    good="""
from torch.utils.data import DataLoader


def load(test_set):
    return DataLoader(test_set, batch_size=64)
""",
    severity=Severity.WARNING,
)
def dropped_evaluation(module: Module) -> Iterator[ast.AST | Spot]:
    for call in module.torch_calls("DataLoader"):
        drop_last = argument(call, 8, "drop_last") or in_options(module, call, "drop_last")
        if is_constant(argument(call, 1, "batch_size"), 1) or is_taken_from(module, call):
            continue  # there is no incomplete batch, or batches are taken from it, and never all
        evaluates = for_evaluation(module, call) or for_each_split(module, call)
        served = [] if evaluates else list(serves_evaluation(module, call))
        if is_constant(drop_last, True) and (evaluates or served):
            doubtful = (not evaluates and not any(served)) or needs_full_batches(module, call)
            yield Spot(call, unsure=doubtful)
        elif isinstance(drop_last, ast.Name):
            yield from dropped_by_branch(module, call, drop_last.id)
    for where, call in dropped_by_argument(module.project):
        if where is module and not is_taken_from(module, call):
            yield Spot(call, unsure=needs_full_batches(module, call))


@kept
def dropped_by_argument(project: Project) -> list[tuple[Module, ast.Call]]:
    """Where a function of the project is told to make an evaluation's loader that drops."""
    return [
        (other, one)
        for module in project.code
        for loader in module.torch_calls("DataLoader")
        for other, one, given in given_through(module, loader, argument(loader, 8, "drop_last"))
        if one is not loader and is_constant(given, True) and for_evaluation(other, one)
        if not any(is_constant(value, 1) for value in sizes_of(module, loader, one))
    ]


def sizes_of(module: Module, loader: ast.Call, by: ast.Call) -> list[ast.expr | None]:
    """The size of the batches, as a call of the function that makes a loader gives it."""
    size = argument(loader, 1, "batch_size")
    return [given for _, one, given in given_through(module, loader, size) if one in (loader, by)]


def is_taken_from(module: Module, call: ast.Call) -> bool:
    """Whether batches are taken from a loader one by one, and not all of them."""
    around = module.parents[call]
    endless = isinstance(around, ast.Call) and last_name(around.func) in ("cycle", "iter")
    return endless or is_only_taken_from(module, call)


def needs_full_batches(module: Module, loader: ast.Call) -> bool:
    """Whether the loop over a loader shapes its batches by their size, and no shorter one fits."""
    size, statement = argument(loader, 1, "batch_size"), module.parents[loader]
    if size is None or not written(size) or not isinstance(statement, ast.Assign):
        return False
    loops = {
        around
        for where, use in uses_of(module, statement.targets[0])
        for around in where.loops_around(use)
        if isinstance(around, ast.For) and any(one is use for one in walk(around.iter))
    }
    return any(
        same(one, size)
        for loop in loops
        for call in own_calls(loop, "reshape", "view")
        for given in (*call.args, *(k.value for k in call.keywords))
        for one in walk(given)
    )


def serves_evaluation(module: Module, loader: ast.Call) -> Iterator[bool]:
    """For each `val_loader = get_loader(...)` that it is returned to: is that looped over?"""
    function, statement = module.function(loader), module.parents[loader]
    under = any(isinstance(one, ast.If | ast.IfExp) for one in module.ancestors(loader))
    if not isinstance(function, FUNCTIONS) or under:
        return
    name = written(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    returns = [n.value for n in own_nodes(function) if isinstance(n, ast.Return)]
    if len(returns) != 1 or not (returns[0] is loader or is_named(returns[0], name)):
        return
    for other, call in module.project.calls_of(module, function):
        around = other.parents[call]
        for target in around.targets if isinstance(around, ast.Assign) else ():
            if isinstance(target, ast.Name) and EVALUATION.search(target.id):
                yield is_run_through(other, call, target.id)


def is_run_through(module: Module, call: ast.Call, name: str) -> bool:
    """Whether a loader is looped over, or handed to a function, where it is made."""
    for node in own_nodes(module.function(call)):
        given = node.args if isinstance(node, ast.Call) else ()
        looped = [node.iter] if isinstance(node, ast.For | ast.comprehension) else ()
        if any(is_named(one, name) for one in (*given, *looped)):
            return True
    return False


def is_named(node: ast.AST | None, name: str) -> bool:
    """Whether it is this very name."""
    return node is not None and bool(name) and written(node) == name


def is_only_taken_from(module: Module, loader: ast.Call) -> bool:
    """Whether single batches are taken from a loader, and nothing runs it to its end."""
    statement = module.parents[loader]
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    uses = list(uses_of(module, statement.targets[0]))
    return bool(uses) and all(gives_single_batches(where, use) for where, use in uses)


def uses_of(module: Module, target: ast.expr) -> Iterator[tuple[Module, ast.expr]]:
    """Where a name of a function is read; of an attribute, where one of that name is."""
    if isinstance(target, ast.Attribute):
        for other in module.project.near(module):
            for node in other.attributes:
                if node.attr == target.attr and isinstance(node.ctx, ast.Load):
                    yield other, node
    elif isinstance(target, ast.Name):
        for name in walk(module.function(target)):
            if is_named(name, target.id) and isinstance(getattr(name, "ctx", None), ast.Load):
                assert isinstance(name, ast.Name)
                yield module, name


def gives_single_batches(module: Module, use: ast.expr) -> bool:
    """Whether a loader is only made an iterator of, and `next` takes one batch from that."""
    made = module.parents[use]
    if not isinstance(made, ast.Call) or written(made.func) != "iter":
        return False
    around = module.parents[made]
    if is_next(module, made):
        return True
    if not isinstance(around, ast.Assign) or len(around.targets) != 1:
        return False
    kept = around.targets[0]
    again = list(uses_of(module, kept))
    return bool(again) and all(is_next(other, node) for other, node in again)


def is_next(module: Module, node: ast.expr) -> bool:
    """Whether `next(...)`, or its method `next`, takes a batch from it, and no end is met."""
    around = module.parents[node]
    if isinstance(around, ast.Call):
        takes = written(around.func) == "next"
    else:
        takes = isinstance(around, ast.Attribute) and around.attr in ("next", "__next__")
    tried = [one for one in module.ancestors(node) if isinstance(one, ast.Try)]
    ends = any(
        isinstance(inner, ast.Break | ast.Return)
        for one in tried
        for handler in one.handlers
        for inner in walk(handler)
    )
    return takes and not ends
