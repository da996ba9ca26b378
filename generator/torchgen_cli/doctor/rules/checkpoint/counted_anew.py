"""Counts that decide the learning rate, in runs that begin in the middle."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    argument,
    everything,
    is_constant,
    last_name,
    own_nodes,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from ..shared.loops import is_rate, is_scheduler
from .resume import goes_on

BEGINS = re.compile(r"(^|_)(start|resume|begin|first)", re.I)
RATE = re.compile(r"(^|_)(lr|learning_rate)(_|$)", re.I)


@rule(
    "TG634",
    "a counter that sets the learning rate starts over after a resume",
    why="""The run continues with a later epoch, but the counter with its initial value: the rate
    jumps back to the start of the schedule, warm-up included, or the next decay never comes.""",
    remedy="compute the counter from the start epoch, `step = start * len(loader)`, or save it",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def main(args, model, optimizer, loader, train_step):
    start = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    step = 0  # <--
    total = args.epochs * len(loader)
    for _ in range(start, args.epochs):
        for batch in loader:
            for group in optimizer.param_groups:
                group["lr"] = args.lr * (1 - step / total) ** 0.9
            train_step(model, optimizer, batch)
            step += 1
""",
    good="""
import torch


def main(args, model, optimizer, loader, train_step):
    start = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    step = start * len(loader)
    total = args.epochs * len(loader)
    for _ in range(start, args.epochs):
        for batch in loader:
            for group in optimizer.param_groups:
                group["lr"] = args.lr * (1 - step / total) ** 0.9
            train_step(model, optimizer, batch)
            step += 1
""",
    severity=Severity.WARNING,
)
def counts_anew(module: Module) -> Iterator[Spot]:
    if "load" not in module.calls or module.project.has_framework(module):
        return
    for name, given in module.assigned.items():
        first = given[0]
        if len(given) != 1 or not is_constant(first.value, 0, 1) or not begins_a_run(module, first):
            continue
        scope = module.class_of(first) if "." in name else module.function(first)
        if isinstance(scope, ast.Module):  # which functions may change, too
            nodes: list[ast.AST] = list(everything(scope))
        elif scope is not None and ("." not in name or name.startswith("self.")):
            nodes = list(walk(scope))
        else:
            continue
        if goes_up(module, nodes, first, name) and any(
            decides_the_rate(module, node)
            for node in nodes
            if written(node) == name and has_context(node, ast.Load)
        ):
            yield Spot(first, f"`{name}`")


def begins_a_run(module: Module, first: ast.Assign) -> bool:
    """Whether a run that was brought back goes on after an assignment, in a loop of its scope."""
    around, scope = module.class_of(first), module.function(first)
    if any(True for _ in module.loops_around(first)):
        return False
    for loop in module.loops:
        inside = module.class_of(loop) is around if around else module.function(loop) is scope
        after = module.function(loop) is not scope or first.lineno < loop.lineno
        later = begins_later(module, loop) or (goes_on(module) and counts(module, loop))
        if inside and after and later:
            return True
    return False


def begins_later(module: Module, loop: ast.AST) -> bool:
    """Whether a loop goes from an epoch or a step on that is called the first, and may be any."""
    if not isinstance(loop, ast.For):
        return False
    return any(
        BEGINS.search(last_name(one)) and not is_always_the_same(module, one)
        for call in walk(loop.iter)
        if isinstance(call, ast.Call) and last_name(call.func) in ("range", "trange")
        for one in walk(call.args[0] if len(call.args) > 1 else ast.Constant(0))
    )


def is_always_the_same(module: Module, node: ast.AST) -> bool:
    """Whether a name is given plain numbers, and nothing else."""
    values = module.value_in(node, module.function(node))
    around = module.class_of(node) if isinstance(node, ast.Attribute) else module.function(node)
    stores = [n for n in walk(around or node) if same(n, node) and has_context(n, ast.Store)]
    plain = all(isinstance(one, ast.Constant) for one in values)
    return plain and 0 < len(values) == len(stores)


def counts(module: Module, loop: ast.AST) -> bool:
    """Whether a loop is over epochs, and around all others of its scope."""
    return (
        isinstance(loop, ast.For)
        and "epoch" in written(loop.target).lower()
        and not any(True for _ in module.loops_around(loop))
    )


def goes_up(module: Module, nodes: list[ast.AST], first: ast.Assign, name: str) -> bool:
    """Whether a count is moved on after its first value, and set by nothing else."""
    moved = 0
    for node in nodes:
        if written(node) != name or not has_context(node, ast.Store):
            continue
        around = module.parents[node]
        if isinstance(around, ast.AugAssign) and isinstance(around.op, ast.Add):
            in_loop = any(True for _ in module.loops_around(around))
            if not in_loop and module.function(around) is module.function(first):
                return False  # step += start * len(loader)
            moved += 1
        elif around is not first:
            return False
    last = name.rpartition(".")[2]
    elsewhere = "." in name and any(
        one.attr == last and isinstance(one.ctx, ast.Store) and written(one) != name
        for other in module.project.near(module)
        for one in other.attributes
    )
    return moved > 0 and not elsewhere


def decides_the_rate(module: Module, node: ast.AST) -> bool:
    """Whether a count is part of a rate, or handed to what sets the rate."""
    for around in module.ancestors(node):
        if isinstance(around, ast.BinOp) and is_moved_by(around, node):
            return False
        if isinstance(around, ast.Call) and sets_the_rate_by(module, around, node):
            return True
        if isinstance(around, ast.stmt):
            return isinstance(around, ast.Assign) and any(
                is_rate(one) or RATE.search(last_name(one)) for one in around.targets
            )
    return False


def is_moved_by(whole: ast.BinOp, count: ast.AST) -> bool:
    """Whether another count is added, which may be that of the first round: `offset + step`."""
    other = whole.left if whole.right is count else whole.right
    plain = whole.left is count or whole.right is count
    return plain and isinstance(whole.op, ast.Add) and not isinstance(other, ast.Constant)


def sets_the_rate_by(module: Module, call: ast.Call, count: ast.AST) -> bool:
    """Whether a call moves a scheduler to a count, or a function that it means sets the rate."""
    given = [*call.args, *(one.value for one in call.keywords)]
    if not any(count in walk(one) for one in given):
        return False
    if last_name(call.func) == "step" and is_scheduler(module, receiver(call)):
        return True
    return any(
        any(is_rate(one) and has_context(one, ast.Store) for one in own_nodes(function))
        and any(
            written(one) == own and has_context(one, ast.Load)
            for place, own in enumerate(parameters(function))
            if (value := argument(call, place, own)) is not None and count in walk(value)
            for one in own_nodes(function)
        )
        for _, function in module.project.resolve(module, call)
    )


def has_context(node: ast.AST, kind: type[ast.expr_context]) -> bool:
    """Whether a name or an item is read (Load), or given a value (Store)."""
    return isinstance(getattr(node, "ctx", None), kind)
