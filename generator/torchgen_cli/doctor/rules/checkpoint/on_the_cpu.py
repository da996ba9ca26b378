"""Which programs load weights to use them, and run on a CPU from beginning to end."""

import ast

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, last_name, own_calls, own_nodes, receiver, walk, written
from ..shared.cpu_path import cpu_path
from ..shared.gpu_needs import needs_of, trains
from ..shared.loops import is_optimizer
from ..shared.programs import starts
from .cpu_users import USING
from .opens_anywhere import goes_to_a_model


def is_used_on_the_cpu(module: Module, load: ast.Call) -> bool:
    """Whether a program that chooses the CPU by itself, and needs no GPU, loads weights to use.

    It trains nothing, or a condition asks for the use: `if args.evaluate:`. What a function for
    tests loads without one is often what the same run saved.
    """
    resumes = any(
        is_optimizer(module, receiver(one))
        for one in own_calls(module.function(load), "load_state_dict")
    )
    return not resumes and any(
        load in way and (not training or is_asked_for(module, load))
        for way, training in map(whole_way, starts(module))
    )


def is_asked_for(module: Module, load: ast.Call) -> bool:
    """Whether a condition around it names the use of a model."""
    inner: ast.AST = load
    for around in module.ancestors(load):
        if isinstance(around, ast.If) and inner in around.body:
            names = (last_name(one) for one in walk(around.test))
            negated = any(isinstance(one, ast.Not) for one in ast.walk(around.test))
            if not negated and any(map(USING.search, names)):
                return True
        inner = around
    return False


@kept
def whole_way(start: Module) -> tuple[frozenset[ast.AST], bool]:
    """What a program comes to on a CPU, and whether it trains; nothing where it needs a GPU."""
    if needs_of(start) != []:
        return frozenset(), False
    return frozenset(node for _, node in cpu_path(start).nodes), trains(start)


def is_returned_to_a_model(module: Module, load: ast.Call) -> bool:
    """Whether a function returns what it loads, and a caller fills a model with it."""
    scope, statement = module.function(load), module.parents[load]
    names = {written(one) for one in getattr(statement, "targets", ())} - {""}
    returned = isinstance(statement, ast.Return) or any(
        isinstance(one, ast.Return) and one.value is not None and written(one.value) in names
        for one in own_nodes(scope)
    )
    return (
        returned
        and isinstance(scope, FUNCTIONS)
        and isinstance(module.parents[scope], ast.Module)  # the callers of methods are not sure
        and any(
            goes_to_a_model(other, call) for other, call in module.project.calls_of(module, scope)
        )
    )
