"""How long a schedule is, and how often it is moved on."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    argument,
    has_stars,
    last_name,
    mentions,
    own_calls,
    receiver,
    same,
    walk,
    written,
)
from .in_epochs import drops_within_epochs


@rule(
    "TG414",
    "the schedule's length and its steps are in different units",
    why="""Its length is in batches and it steps once per epoch, or the other way round: the rate
    hardly falls, or goes up and down many times in a run.""",
    remedy="step it as often as its length says: per batch for `epochs * len(loader)`",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html",
    bad="""
from torch.optim.lr_scheduler import CosineAnnealingLR


def fit(model, loader, optimizer, loss_of, epochs):
    scheduler = CosineAnnealingLR(optimizer, T_max=len(loader))  # <--
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        scheduler.step()
""",
    good="""
from torch.optim.lr_scheduler import CosineAnnealingLR


def fit(model, loader, optimizer, loss_of, epochs):
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        scheduler.step()
""",
)
def wrong_horizon(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    for call in module.torch_calls("CosineAnnealingLR", "OneCycleLR", "MultiStepLR", "StepLR"):
        target = module.parents[call]
        if has_stars(call) or not isinstance(target, ast.Assign):
            continue
        name = last_name(target.targets[0])
        paces = {
            pace(other, step)
            for other in module.project.near(module)
            for step in other.calls.get("step", ())
            if last_name(receiver(step) or step) == name
        }
        given, moved = unit(module, call), next(iter(paces)) if len(paces) == 1 else ""
        if given and moved and given != moved:
            yield Spot(call, f"its length is in {given}, its steps are in {moved}")


def unit(module: Module, call: ast.Call) -> str:
    """What a schedule's length counts, where that can be read: "batches", "epochs" or nothing."""
    if last_name(call.func) in ("MultiStepLR", "StepLR"):
        return "epochs" if drops_within_epochs(module, call) else ""
    if last_name(call.func) == "OneCycleLR":
        given = [argument(call, 2, "total_steps"), argument(call, 4, "steps_per_epoch")]
        return "batches" if any(map(lengths, filter(None, given))) else in_batches(module, given[0])
    length = argument(call, 1, "T_max")
    if length is None:
        return ""
    if lengths(length) or in_batches(module, length):
        return "batches"
    plain = not isinstance(length, ast.BinOp | ast.Call) and not is_computed(module, length)
    return "epochs" if plain and mentions(length, "epoch") and not mentions(length, "per") else ""


def in_batches(module: Module, length: ast.expr | None) -> str:
    """The unit of a length that has a name, where it is computed of a loader's."""
    values = module.value_in(length, module.function(length)) if length is not None else []
    return "batches" if len(values) == 1 and lengths(values[0]) else ""


def is_computed(module: Module, length: ast.expr) -> bool:
    """Whether a length that has a name is the result of a calculation."""
    function = module.function(length)
    return any(isinstance(one, ast.BinOp) for one in module.value_in(length, function)) or any(
        isinstance(node, ast.AugAssign) and same(node.target, length) for node in walk(function)
    )


def lengths(node: ast.expr) -> bool:
    """Whether the length of a loader is in it, and nothing divides."""
    nodes = list(ast.walk(node))
    loaders = [
        n
        for n in nodes
        if isinstance(n, ast.Call)
        and last_name(n.func) == "len"
        and n.args
        and "loader" in written(n.args[0]).lower()
    ]
    divides = any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.FloorDiv) for n in nodes
    )
    return bool(loaders) and not divides


def pace(module: Module, step: ast.Call) -> str:
    """How often a scheduler is moved on: by "batches", by "epochs", or nobody can tell."""
    loop = next(module.loops_around(step), None)
    if step.args or not isinstance(loop, ast.For) or isinstance(loop.body[-1], ast.Break):
        return ""
    deeper = [
        n
        for n in walk(loop)
        if isinstance(n, ast.For) and n is not loop and own_calls(n, "backward", "step")
    ]
    if mentions(loop.target, "epoch"):
        return "epochs"
    if own_calls(loop, "backward") and not deeper and mentions(loop.iter, "loader"):
        return "batches"
    return ""
