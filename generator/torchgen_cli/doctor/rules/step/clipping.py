"""Gradients that are clipped at the wrong place."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import blocks, walk
from ..shared.loops import CLIPPING, call_of, is_step, name_of_call, step_scopes
from .clipped_passes import only_measures
from .too_early import scheduler_step


@rule(
    "TG411",
    "gradients are clipped where it has no effect",
    why="Clipping works only between `backward` and `step`: after the step it is too late.",
    remedy="clip between `backward()` and `optimizer.step()`",
    source=f"{STABLE}/generated/torch.nn.utils.clip_grad_norm_.html",
    bad="""
from torch.nn.utils import clip_grad_norm_


def train_step(model, loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    clip_grad_norm_(model.parameters(), 1.0)  # <--
""",
    good="""
from torch.nn.utils import clip_grad_norm_


def train_step(model, loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
""",
)
def clipped_too_late(module: Module) -> Iterator[ast.AST]:
    for scope in step_scopes(module):
        for block in blocks(scope):
            order = [
                (name_of_call(statement), statement)
                for statement in map(asked_for, block)
                if name_of_call(statement) and scheduler_step(module, statement) is None
            ]
            names = [name for name, _ in order]
            clips = [place for place, name in enumerate(names) if name in CLIPPING]
            if names.count("backward") != 1 or names.count("step") != 1 or len(clips) != 1:
                continue
            if not is_step(module, call_of(order[names.index("step")][1])):
                continue
            computed, clip, moved = names.index("backward"), clips[0], names.index("step")
            outside = computed < moved and not computed < clip < moved
            if outside and not only_measures(call_of(order[clip][1])):
                yield order[clip][1]


def asked_for(statement: ast.stmt) -> ast.stmt:
    """What clips under `if args.clip > 0:`, and nothing else does there; else the statement."""
    if isinstance(statement, ast.If) and len(statement.body) == 1 and not statement.orelse:
        by_number = any(isinstance(one, ast.Mod) for one in walk(statement.test))
        if not by_number and name_of_call(statement.body[0]) in CLIPPING:
            return statement.body[0]
    return statement
