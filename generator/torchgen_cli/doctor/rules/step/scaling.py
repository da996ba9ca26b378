"""Mixed precision: the scaler of the gradients."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    last_name,
    mentions,
    own_calls,
    same,
)
from ..shared.loops import (
    AMP_DOCS,
    CLIPPING,
    is_backward,
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
        first = scaled[0][0]
        for clip in own_calls(scope, *CLIPPING):
            between = [c for c in own_calls(scope) if first.lineno <= c.lineno < clip.lineno]
            if not first.lineno < clip.lineno < steps[-1].lineno or apart(module, first, clip):
                continue
            if any(unscales(module, call) for call in between) or spares_scaled(module, clip):
                continue
            if any(is_backward(one) and one not in [call for call, _ in scaled] for one in between):
                continue  # of another model
            yield clip


def unscales(module: Module, call: ast.Call) -> bool:
    """Whether a call unscales the gradients, itself or in a function of the project."""
    return is_unscaling(call) or any(
        module.project.reaches(other, function, is_unscaling, depth=2)
        for other, function in module.project.resolve(module, call)
    )


def is_unscaling(node: ast.AST) -> bool:
    """Whether it is `scaler.unscale_(optimizer)`, or asks for the scale to divide by it."""
    names = ("unscale_", "unscale", "get_scale")
    return isinstance(node, ast.Call) and last_name(node.func) in names


def spares_scaled(module: Module, clip: ast.Call) -> bool:
    """Whether it clips only without a scaler, or by a limit that is scaled too."""
    if any(mentions(one, "scale") for one in clip.args[1:]):
        return True
    inner: ast.AST = clip
    for around in module.ancestors(clip):
        if isinstance(around, ast.If) and mentions(around.test, "amp", "fp16", "half", "scaler"):
            negated = any(isinstance(n, ast.Not | ast.Is) for n in ast.walk(around.test))
            if negated or inner in around.orelse:
                return True
        inner = around
    return False


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
        if not scaled or own_calls(scope, "unscale_", "get_scale"):
            continue
        if any(call.args for call in own_calls(scope, "step")):
            continue
        scalers = [scaler for _, scaler in scaled]
        own = [value for one in scalers for value in module.value_in(one, scope)]
        if any(
            same(one, scaler)
            for call in own_calls(scope)
            for one in call.args
            for scaler in scalers
        ):
            continue
        if any(isinstance(one, ast.Call) and not module.is_torch(one.func) for one in own):
            continue
        for step in optimizer_steps(module, scope):
            if step.lineno > scaled[0][0].lineno and not apart(module, scaled[0][0], step):
                yield step
                break
