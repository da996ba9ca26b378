"""Evaluations that turn graphs off where the input is made, and not where the model is run."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import FUNCTIONS, last_name, mentions, own_calls, own_nodes, receiver, same, written
from ..shared.graphs import called_under, under
from .loaded import after
from .switched import needs_gradients


def narrow_passes(module: Module) -> Iterator[ast.Call]:
    """The calls of a network in a loop, right after a `no_grad` that holds their input alone.

    The function, or the file, puts that network into evaluation, and not into training; the
    function computes no gradients.
    """
    for name in ("no_grad", "inference_mode"):
        for call in module.calls.get(name, ()):
            block = module.statement(call)
            scope = module.function(block)
            if not isinstance(block, ast.With) or not isinstance(scope, FUNCTIONS):
                continue
            made = {
                written(target)
                for one in own_nodes(block)
                if isinstance(one, ast.Assign)
                for target in one.targets
            }
            passes = [
                one
                for statement in after(module, block)
                for one in own_calls(statement)
                if made.intersection(map(written, one.args + unpacked(one)))
                and is_evaluated(module, one)
            ]
            if passes and is_left_with_graphs(module, block, passes[0]):
                yield passes[0]


def unpacked(call: ast.Call) -> list[ast.expr]:
    """What a call is given with a star: `model(*inputs)`."""
    return [one.value for one in call.args if isinstance(one, ast.Starred)]


def is_evaluated(module: Module, run: ast.Call) -> bool:
    """Whether the function, or the file, only ever puts a network into evaluation."""
    modes = [
        call
        for name in ("eval", "train")
        for call in module.calls.get(name, ())
        if written(run.func) and same(receiver(call), run.func)
    ]
    near = [call for call in modes if module.function(call) is module.function(run)]
    return bool(modes) and all(last_name(call.func) == "eval" for call in near or modes)


def is_left_with_graphs(module: Module, block: ast.With, run: ast.Call) -> bool:
    """Whether a pass over data after a block keeps a graph that nothing uses."""
    scope = module.function(run)
    runs = any(same(call.func, run.func) for call in own_calls(block))
    looped = any(True for _ in module.loops_around(run))
    if runs or not looped or under(module, run) or mentions(scope, "requires_grad", "set_grad"):
        return False
    used = module.project.reaches(module, scope, needs_gradients)
    return not used and not called_under(module, scope, set())
