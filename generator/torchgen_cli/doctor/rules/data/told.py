"""What samplers are told of each epoch."""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, is_constant, last_name, mentions, parameters
from ..shared.origins import given


def shuffles(module: Module, shuffle: ast.expr | None) -> bool:
    """Whether a sampler shuffles, by default or where a caller says so."""
    if shuffle is None or is_constant(shuffle, True):
        return True
    function = module.function(shuffle)
    if not isinstance(shuffle, ast.Name) or not isinstance(function, FUNCTIONS):
        return False
    return shuffle.id in parameters(function) and any(
        is_constant(value, True) for _, value in given(module, function, shuffle.id)
    )


def asks_for_processes(module: Module, call: ast.Call) -> bool:
    """Whether `set_epoch` is called `if args.distributed` alone."""
    return any(
        isinstance(around, ast.If) and last_name(around.test) == "distributed"
        for around in module.ancestors(call)
    )


def is_always_made(module: Module, call: ast.Call) -> bool:
    """Whether no condition about processes stands around a sampler that is kept as it is."""
    statement = module.parents[call]
    around = [one for one in module.ancestors(call) if isinstance(one, ast.If | ast.IfExp)]
    asked = any(mentions(one.test, "dist", "world", "rank", "ddp", "gpu") for one in around)
    return isinstance(statement, ast.Assign) and not asked
