"""Sums of all processes that one process alone has."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import argument, is_constant, last_name, own_calls, own_nodes, walk, written
from ..data.ranks import guarded
from ..shared.choices import EXTREMES, carries, chooses, parts, returned, text

DOCS = "https://docs.pytorch.org/docs/stable/distributed.html"
DECIDES = re.compile(r"\.step$|early|stop|plateau", re.I)
SHARES = ("all_reduce", "broadcast", "all_gather", "broadcast_object_list")
KEEPS = (*EXTREMES, "max", "min", "print", "info", "log", "add_scalar", "write")
Use = tuple[Module, ast.AST, bool]


@rule(
    "TG706",
    "`reduce` gives the sum to one process, but all of them decide by it",
    why="""`reduce` gives the sum to the process `dst`; in the others the tensor holds something
    else. All decide by it: one stops early, or lowers its rate, while the others do not, and wait
    for it. It is a hint where the value is only kept or printed.""",
    remedy="use `all_reduce`, or decide on rank `dst` and broadcast the decision",
    source=f"{DOCS}#torch.distributed.reduce",
    bad="""
import torch.distributed as dist


def train(model, epochs, run_epoch, validate, scheduler):
    for epoch in range(epochs):
        run_epoch(model)
        val_loss = validate(model)
        dist.reduce(val_loss, dst=0)
        scheduler.step(val_loss)  # <--
""",
    good="""
import torch.distributed as dist


def train(model, epochs, run_epoch, validate, scheduler):
    for epoch in range(epochs):
        run_epoch(model)
        val_loss = validate(model)
        dist.all_reduce(val_loss)
        scheduler.step(val_loss)
""",
    severity=Severity.WARNING,
)
def decided_by_parts(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("reduce", ()):
        given, scope = argument(call, 0, "tensor"), module.function(call)
        if module.qualified(call.func) != "torch.distributed.reduce" or given is None:
            continue
        if not is_constant(argument(call, 1, "dst"), 0) or own_calls(scope, *SHARES):
            continue
        while isinstance(given, ast.Subscript):  # results[key]
            given = given.value
        uses = list(uses_of(module, scope, written(given), call.end_lineno or 0, 2))
        for where, node, matters in sorted(uses, key=lambda one: not one[2])[:1]:
            place = "" if where is module else f"in {where.name}:{getattr(node, 'lineno', 0)}"
            yield Spot(node if where is module else call, place, unsure=not matters)


def uses_of(module: Module, scope: ast.AST, name: str, line: int, depth: int) -> Iterator[Use]:
    """(file, place, whether the process goes another way by it) of uses by all processes."""
    names = {name} - {""}
    nodes = (node for node in own_nodes(scope) if isinstance(node, ast.Assign | ast.If | ast.Call))
    later = [node for node in nodes if node.lineno > line and not guarded(module, node)]
    for node in sorted(later, key=lambda one: (one.lineno, one.col_offset)):
        if isinstance(node, ast.Assign):
            targets = {text(one) for target in node.targets for one in parts(target)} - {""}
            if carries(node.value, names):
                names |= targets
            else:
                names -= targets
        if chooses(module, node, names):
            yield module, node, parts_ways(module, scope, node)
        elif isinstance(node, ast.Call):
            given = any(carries(one, names) for one in node.args)
            if given and last_name(node.func) in KEEPS:
                yield module, node, False
    for other, call, one in returned(module, scope, names) if depth else ():
        yield from uses_of(other, other.function(call), one, call.lineno, depth - 1)


def parts_ways(module: Module, scope: ast.AST, choice: ast.AST) -> bool:
    """Whether a process goes another way by a choice: it ends a loop, or sets a rate."""
    if isinstance(choice, ast.Call):
        return DECIDES.search(written(choice.func)) is not None
    if not isinstance(choice, ast.If):
        return False
    counted = set()
    for node in walk(choice):
        if isinstance(node, ast.Break | ast.Return):
            return True
        if isinstance(node, ast.AugAssign):
            counted.add(written(node.target))
    return any(
        isinstance(node, ast.If)
        and any(isinstance(one, ast.Break | ast.Return) for one in walk(node))
        and carries(node.test, counted - {""})
        for node in own_nodes(scope)
    )
