"""How the batches of a loader are taken: all of them in a loop, one by one, or to train on."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import argument, last_name, own_calls, own_nodes, same, walk, written
from ...unused import is_true
from ..shared.loops import optimizer_steps, scaled_steps


def is_taken_from(module: Module, call: ast.Call) -> bool:
    """Whether batches are taken from a loader one by one, and not all of them."""
    around = module.parents[call]
    endless = isinstance(around, ast.Call) and last_name(around.func) in ("cycle", "iter")
    return endless or is_only_taken_from(module, call)


def needs_full_batches(module: Module, loader: ast.Call) -> bool:
    """Whether the loop over a loader shapes its batches by their size, and no shorter one fits."""
    size = argument(loader, 1, "batch_size")
    if size is None or not written(size):
        return False
    return any(
        same(one, size)
        for _, loop in loops_over(module, loader)
        for call in own_calls(loop, "reshape", "view")
        for given in (*call.args, *(k.value for k in call.keywords))
        for one in walk(given)
    )


def loops_over(module: Module, loader: ast.Call) -> Iterator[tuple[Module, ast.For]]:
    """The loops that go through a loader, also beside others: `zip(train_loader, loader)`."""
    statement = module.parents[loader]
    if isinstance(statement, ast.Assign):
        for where, use in uses_of(module, statement.targets[0]):
            for around in where.loops_around(use):
                if isinstance(around, ast.For) and any(one is use for one in walk(around.iter)):
                    yield where, around


def is_trained_on(module: Module, loader: ast.Call) -> bool:
    """Whether an optimizer steps in the loop over a loader: it is no evaluation's."""
    return any(
        bool(own_calls(loop, "backward"))
        and bool(optimizer_steps(where, loop) or scaled_steps(where, loop))
        for where, loop in loops_over(module, loader)
    )


def is_named(node: ast.AST | None, name: str) -> bool:
    """Whether it is this very name."""
    return node is not None and bool(name) and written(node) == name


def is_only_taken_from(module: Module, loader: ast.Call) -> bool:
    """Whether single batches are taken from a loader, and nothing runs it to its end."""
    statement = module.parents[loader]
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    uses = [
        (where, use)
        for where, use in uses_of(module, statement.targets[0])
        if not is_wrapped_anew(where, use)
    ]
    return bool(uses) and all(
        gives_single_batches(where, use) or is_run_without_end(where, use) for where, use in uses
    )


def is_wrapped_anew(module: Module, use: ast.expr) -> bool:
    """Whether a loader is given to what returns it once more: `loader = prepare(loader)`."""
    statement = module.statement(use)
    return (
        isinstance(statement, ast.Assign)
        and isinstance(module.parents[use], ast.Call)
        and any(same(one, use) for target in statement.targets for one in walk(target))
    )


def is_run_without_end(module: Module, use: ast.expr) -> bool:
    """Whether a generator loops over a loader again and again, and hands its batches out."""
    loops = list(module.loops_around(use))
    if len(loops) < 2 or not isinstance(loops[0], ast.For):
        return False
    again = [one for one in loops[1:] if isinstance(one, ast.While) and is_true(one.test)]
    inside = [node for one in again for node in own_nodes(one)]
    ends = any(isinstance(node, ast.Break | ast.Return) for node in inside)
    return not ends and any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inside)


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
