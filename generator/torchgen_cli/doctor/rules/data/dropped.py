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
    own_nodes,
    written,
)
from ..shared.callers import given_through
from .branches import dropped_by_branch
from .data import EVALUATION, for_each_split, for_evaluation
from .loader_uses import is_named, is_taken_from, is_trained_on, needs_full_batches
from .option_dicts import in_options


@rule(
    "TG204",
    "the evaluation skips samples",
    why="""`drop_last=True` drops the last, incomplete batch: the metric does not cover the whole
    set, and changes with the batch size. It is a hint in a branch that is for training as well.""",
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
        if never_incomplete(argument(call, 1, "batch_size")) or is_taken_from(module, call):
            continue  # or batches are taken from it, and never all
        if is_trained_on(module, call):
            continue
        evaluates = for_evaluation(module, call) or for_each_split(module, call)
        served = [] if evaluates else list(serves_evaluation(module, call))
        if is_constant(drop_last, True) and (evaluates or served):
            doubtful = (not evaluates and not any(served)) or needs_full_batches(module, call)
            yield Spot(call, unsure=doubtful)
        elif isinstance(drop_last, ast.Name):
            yield from dropped_by_branch(module, call, drop_last.id)
    for where, call in dropped_by_argument(module.project):
        if where is module and not is_taken_from(module, call) and not is_trained_on(module, call):
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
        if not any(never_incomplete(value) for value in sizes_of(module, loader, one))
    ]


def never_incomplete(size: ast.expr | None) -> bool:
    """Whether batches of a size are all full: of one sample, or of the whole data set."""
    counted = isinstance(size, ast.Call) and written(size.func) == "len"
    return is_constant(size, 1) or counted


def sizes_of(module: Module, loader: ast.Call, by: ast.Call) -> list[ast.expr | None]:
    """The size of the batches, as a call of the function that makes a loader gives it."""
    size = argument(loader, 1, "batch_size")
    return [given for _, one, given in given_through(module, loader, size) if one in (loader, by)]


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
