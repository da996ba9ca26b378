"""Numbers that are read from the device in each step."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import Loop, last_name, own_calls, written
from ..shared.loops import graph_losses, step_scopes


def hot_loops(module: Module) -> Iterator[tuple[Loop, ast.AST]]:
    """The innermost loops that compute gradients: their body runs once for each step."""
    for scope in step_scopes(module):
        for call in own_calls(scope, "backward"):
            loop = next(module.loops_around(call), None)
            if loop is not None:
                yield loop, scope


@rule(
    "TG490",
    "each step waits for the device",
    why="""Reading a number from the device waits until all earlier work is done. If each step does
    so, the device idles while Python prepares the next one.""",
    remedy="read the losses only every few steps",
    source="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    bad="""
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.item()  # <--
    return total
""",
    good="""
def train(model, loader, optimizer, loss_of):
    losses = []
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return sum(loss.item() for loss in losses)
""",
    severity=Severity.HINT,
)
def waits_each_step(module: Module) -> Iterator[ast.AST | Spot]:
    for loop, scope in hot_loops(module):
        losses = graph_losses(scope)
        for call in own_calls(loop):
            condition = next((n for n in module.ancestors(call) if isinstance(n, ast.If)), None)
            if condition is not None and loop in module.ancestors(condition):
                continue
            name = last_name(call.func)
            read = name in ("item", "tolist") and not call.args
            shown = name == "print" and any(written(a) in losses for a in call.args)
            if read or shown or (name == "float" and call.args and written(call.args[0]) in losses):
                yield call
