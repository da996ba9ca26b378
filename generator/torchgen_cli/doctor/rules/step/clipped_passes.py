"""Gradients that are clipped in each pass of a step that has several."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import last_name, mentions, own_calls, own_nodes, receiver, same, walk
from ..shared.loops import AMP_DOCS, CLIPPING, is_step
from .zeroed_passes import branches, every_nth, keeps_gradients, turn_of


@rule(
    "TG416",
    "gradients are clipped before all passes have added to them",
    why="""Each pass clips the sum so far, including that of earlier passes, and the last pass adds
    to it: the gradient of the step depends on the batch order, and can exceed the limit.""",
    remedy="clip right before `optimizer.step()`, under the same condition",
    source=f"{AMP_DOCS}#gradient-accumulation",
    bad="""
from torch.nn.utils import clip_grad_norm_


def train(model, loader, optimizer, passes, loss_of):
    optimizer.zero_grad()
    for i, batch in enumerate(loader):
        (loss_of(model, batch) / passes).backward()
        clip_grad_norm_(model.parameters(), 1.0)  # <--
        if (i + 1) % passes == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    good="""
from torch.nn.utils import clip_grad_norm_


def train(model, loader, optimizer, passes, loss_of):
    optimizer.zero_grad()
    for i, batch in enumerate(loader):
        (loss_of(model, batch) / passes).backward()
        if (i + 1) % passes == 0:
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
""",
    severity=Severity.WARNING,
)
def clipped_in_parts(module: Module) -> Iterator[ast.AST]:
    for name in CLIPPING:
        for clip in module.calls.get(name, ()):
            turn = turn_of(module, clip)
            steps = [call for call in own_calls(turn, "step") if is_step(module, call)]
            moved = [call.args[0] if call.args else receiver(call) for call in steps]
            if (
                not any(not same(one, moved[0]) for one in moved)
                and not only_measures(clip)
                and in_every_pass(module, clip, turn)
                and not keeps_gradients(turn)
                and any(comes_later(module, clip, step, turn) for step in steps)
            ):
                yield clip


def only_measures(clip: ast.Call) -> bool:
    """Whether the limit is infinite: the call tells how large the gradient is."""
    return any(
        mentions(one, "inf", "infinity") or last_name(one) in ("inf", "INF")
        for one in [*clip.args[1:], *(k.value for k in clip.keywords)]
    )


def in_every_pass(module: Module, clip: ast.AST, turn: ast.AST) -> bool:
    """Whether nothing that differs from pass to pass decides whether a place is reached."""
    stored = {
        n.id for n in own_nodes(turn) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return not any(
        every_nth(module, condition)
        or any(isinstance(n, ast.Name) and n.id in stored for n in walk(condition.test))
        for condition, _ in branches(module, clip, turn)
    )


def comes_later(module: Module, clip: ast.Call, step: ast.Call, turn: ast.AST) -> bool:
    """Whether a step comes after several passes, to each of which the clipping belongs."""
    around = branches(module, step, turn) if turn_of(module, step) is turn else []
    rare = next((one for one, holds in around if holds and every_nth(module, one)), None)
    if rare is None or rare.orelse:
        return False
    inside = set(walk(rare))
    elsewhere = {(one, not holds) for one, holds in branches(module, clip, turn)}
    zeroed = [
        call
        for call in own_calls(turn, "zero_grad")
        if call not in inside and elsewhere.isdisjoint(branches(module, call, turn))
    ]
    passes = own_calls(turn, "backward")
    return (
        not zeroed
        and inside.isdisjoint(passes)
        and any(one.lineno < clip.lineno < rare.lineno for one in passes)
    )
