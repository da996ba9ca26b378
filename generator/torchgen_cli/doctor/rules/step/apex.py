"""Gradients that apex scales."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot
from ...syntax import FUNCTIONS, argument, is_constant, keyword, last_name, own_calls
from ..shared.loops import CLIPPING

WITHIN = "inside `scale_loss`, which unscales the gradients at its end"
COPIES = "with O2 the step uses `amp.master_params(optimizer)` instead"


def clipped_under_apex(module: Module) -> Iterator[Spot]:
    """Where gradients are clipped before apex divides them, or those that no step takes."""
    for call in module.calls.get("scale_loss", ()):
        if not module.qualified(call.func).startswith("apex."):
            continue
        block = next((n for n in module.ancestors(call) if isinstance(n, ast.With)), None)
        if block is None or not any(call is item.context_expr for item in block.items):
            continue
        clips = own_calls(block, *CLIPPING)
        backwards = own_calls(block, "backward")
        yield from (Spot(c, WITHIN) for c in clips if any(b.lineno < c.lineno for b in backwards))
        if keeps_copies(module) and isinstance(function := module.function(call), FUNCTIONS):
            later = [c for c in own_calls(function, *CLIPPING) if c.lineno > block.lineno]
            yield from (Spot(c, COPIES) for c in later if c not in clips and of_model(c))


def keeps_copies(module: Module) -> bool:
    """Whether the file says that the model is half, and nothing asks for what is trained of it."""
    if "master_params" in module.calls:
        return False
    levels = [keyword(call, "opt_level") for call in module.calls.get("initialize", ())]
    return bool(levels) and all(is_constant(one, "O2") for one in levels)


def of_model(clip: ast.Call) -> bool:
    """Whether it clips what `model.parameters()` returns."""
    given = argument(clip, 0, "parameters")
    return isinstance(given, ast.Call) and last_name(given.func) == "parameters"
