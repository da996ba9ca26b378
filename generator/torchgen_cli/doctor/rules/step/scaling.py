"""Mixed precision: the scaler of the gradients."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    last_name,
    own_calls,
    receiver,
    same,
)
from ..shared.loops import (
    AMP_DOCS,
    CLIPPING,
    optimizer_steps,
    scaled_backwards,
    scaled_steps,
    step_scopes,
)
from .apex import clipped_under_apex


@rule(
    "TG403",
    "gradients are clipped while they are still scaled",
    why="""The scaler multiplies the loss, at first by 65536, so the scaled gradients exceed any
    limit: the step is shorter by that factor, or has no effect. With apex they are scaled until the
    end of `with amp.scale_loss(...)`.""",
    remedy="""call `scaler.unscale_(optimizer)` before clipping; with apex clip
    `amp.master_params(optimizer)` after the `with` block""",
    source=AMP_DOCS,
    bad="""
from torch.nn.utils import clip_grad_norm_


def train_step(model, loss, optimizer, scaler):
    scaler.scale(loss).backward()
    clip_grad_norm_(model.parameters(), 1.0)  # <--
    scaler.step(optimizer)
    scaler.update()
""",
    good="""
from torch.nn.utils import clip_grad_norm_


def train_step(model, loss, optimizer, scaler):
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
""",
)
def clipped_scaled(module: Module) -> Iterator[ast.AST | Spot]:
    yield from clipped_under_apex(module)
    for scope in step_scopes(module):
        scaled = scaled_backwards(scope)
        steps = scaled_steps(module, scope)
        if not scaled or not steps:
            continue
        unscaled = [call.lineno for call in own_calls(scope, "unscale_")]
        for clip in own_calls(scope, *CLIPPING):
            before = scaled[0][0].lineno < clip.lineno < steps[-1].lineno
            if not before or any(line < clip.lineno for line in unscaled):
                continue
            if not apart(module, scaled[0][0], clip):
                yield clip


def apart(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes lie in different branches of a condition, so that only one of them runs."""
    above = [one, *module.ancestors(one)]
    below = [other, *module.ancestors(other)]
    for node in above:
        if isinstance(node, ast.If) and node in below:
            first, second = above[above.index(node) - 1], below[below.index(node) - 1]
            return (first in node.orelse) != (second in node.orelse)
    return False


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
            ):
                yield step


@rule(
    "TG405",
    "the step uses gradients that are still scaled",
    why="""The loss was scaled for float16, but the optimizer's own `step` neither unscales the
    gradients nor skips a step that overflowed.""",
    remedy="call `scaler.step(optimizer)` and `scaler.update()`",
    source=AMP_DOCS,
    bad="""
def train_step(loss, optimizer, scaler):
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    optimizer.step()  # <--
    scaler.update()
""",
    good="""
def train_step(loss, optimizer, scaler):
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
""",
)
def stepped_scaled(module: Module) -> Iterator[ast.AST]:
    for scope in step_scopes(module):
        scaled = scaled_backwards(scope)
        if not scaled or own_calls(scope, "unscale_"):
            continue
        if any(call.args for call in own_calls(scope, "step")):
            continue
        for step in optimizer_steps(module, scope):
            if step.lineno > scaled[0][0].lineno and not apart(module, scaled[0][0], step):
                yield step
                break


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
    severity=Severity.WARNING,
)
def backward_under_autocast(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("backward", ()):
        for around in module.ancestors(call):
            if isinstance(around, (*FUNCTIONS, ast.Lambda)):
                break
            if isinstance(around, ast.With) and any(
                isinstance(item.context_expr, ast.Call)
                and module.is_torch(item.context_expr.func, "autocast")
                for item in around.items
            ):
                yield call
                break
