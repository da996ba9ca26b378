"""Mixed precision: scalers that are not updated, and `backward` under autocast."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import (
    FUNCTIONS,
    LOOPS,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    receiver,
    same,
)
from ..evaluation.evaluating import goes_through_data
from ..shared.loops import AMP_DOCS, is_backward, scaled_backwards, scaled_steps, step_scopes


@rule(
    "TG404",
    "the scaler's scale is never updated",
    why="""Without `update` the scale keeps its initial value: after an overflow every further step
    is also skipped. `step` may be called only once between two updates.""",
    remedy="call `scaler.update()` after `scaler.step(optimizer)`",
    source=AMP_DOCS,
    bad="""
def train_step(loss, optimizer, scaler):
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # <--
""",
    good="""
def train_step(loss, optimizer, scaler):
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
""",
)
def scaler_not_updated(module: Module) -> Iterator[ast.AST]:
    owners = (receiver(call) for call in module.calls.get("update", ()))
    updated = {last_name(owner) for owner in owners if owner is not None}
    for scope in step_scopes(module):
        scalers = [scaler for _, scaler in scaled_backwards(scope)]
        for step in scaled_steps(module, scope):
            scaler = receiver(step)
            if (
                scaler is not None
                and any(same(scaler, one) for one in scalers)
                and last_name(scaler) not in updated
                and not is_updated_elsewhere(module, scope, scaler)
            ):
                yield step


def is_updated_elsewhere(module: Module, scope: ast.AST, scaler: ast.expr) -> bool:
    """Whether a scaler is given to a function, or another file updates the one that it makes."""
    if any(same(one, scaler) for call in own_calls(scope) for one in call.args):
        return True
    if any(
        node.attr == "update" and not isinstance(module.parents[node], ast.Call)
        for node in module.attributes
    ):
        return True
    return any(
        isinstance(value, ast.Call) and last_name(value.func) == "GradScaler"
        for other in module.project.near(module)
        if other is not module
        for call in other.calls.get("update", ())
        for owner in [receiver(call)]
        if owner is not None
        for value in other.value_in(owner, other.function(call))
    )


@rule(
    "TG412",
    "`backward` runs under autocast",
    why="""Backward operations already run in the type that autocast chose for the forward ones;
    the docs advise against autocast around `backward`.""",
    remedy="leave the `with torch.autocast(...)` block before `backward()`",
    source=AMP_DOCS,
    bad="""
import torch


def train_step(model, images, loss_of, optimizer, scaler):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = loss_of(model(images))
        scaler.scale(loss).backward()  # <--
    scaler.step(optimizer)
    scaler.update()
""",
    good="""
import torch


def train_step(model, images, loss_of, optimizer, scaler):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = loss_of(model(images))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
""",
    severity=Severity.HINT,
)
def backward_under_autocast(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("backward", ()):
        if getattr(module.function(call), "name", "") == "backward":
            continue  # of a function that computes again what it did not keep
        for around in module.ancestors(call):
            if isinstance(around, (*FUNCTIONS, ast.Lambda)):
                break
            if isinstance(around, ast.With) and any(
                isinstance(item.context_expr, ast.Call)
                and module.is_torch(item.context_expr.func, "autocast")
                and not is_constant(keyword(item.context_expr, "enabled"), False)
                for item in around.items
            ):
                yield call
                break


@rule(
    "TG435",
    "each step makes a new GradScaler",
    why="""The scale starts at 65536 in every step. Where that is too much, the step is skipped, and
    the lower scale that `update` finds is thrown away with the scaler: so is the next step.""",
    remedy="make one scaler before the loop, and save its state in the checkpoint",
    source=AMP_DOCS,
    bad="""
import torch


def train(model, loader, optimizer, loss_of):
    for batch in loader:
        scaler = torch.amp.GradScaler("cuda")  # <--
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16):
            loss = loss_of(model, batch)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
""",
    good="""
import torch


def train(model, loader, optimizer, loss_of):
    scaler = torch.amp.GradScaler("cuda")
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16):
            loss = loss_of(model, batch)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
""",
)
def made_each_step(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("GradScaler"):
        loop = next(module.loops_around(call), None)
        off = is_constant(keyword(call, "enabled"), False)
        if loop is not None and not off and takes_batches(module, loop):
            yield call


def takes_batches(module: Module, loop: ast.AST) -> bool:
    """Whether a loop goes through batches and computes gradients for each, in no deeper loop."""
    if not isinstance(loop, ast.For):
        return False
    batches = goes_through_data(module, loop) or mentions(loop.target, "batch", "iter")
    below = list(module.project.reached(module, loop)) if batches else []
    deeper = any(
        isinstance(one, LOOPS) and one is not loop and own_calls(one, "backward") for one in below
    )
    return not deeper and any(map(is_backward, below))
