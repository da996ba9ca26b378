"""Which programs load weights to use them, and run on a CPU from beginning to end."""

import ast

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, own_calls, own_nodes, receiver, written
from ..shared.cpu_path import cpu_path
from ..shared.gpu_needs import needs_of, starts, trains
from ..shared.loops import is_optimizer
from .cpu_users import USING
from .opens_anywhere import goes_to_a_model


def is_used_on_the_cpu(module: Module, load: ast.Call) -> bool:
    """Whether a program that chooses the CPU by itself, and needs no GPU, loads weights to use.

    It trains nothing, or the function that loads is for the use of a model.
    """
    scope = module.function(load)
    resumes = any(
        is_optimizer(module, receiver(one)) for one in own_calls(scope, "load_state_dict")
    )
    uses = USING.search(getattr(scope, "name", "")) is not None
    return not resumes and any(
        load in way and (uses or not training) for way, training in map(whole_way, starts(module))
    )


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
        and any(
            goes_to_a_model(other, call) for other, call in module.project.calls_of(module, scope)
        )
    )
