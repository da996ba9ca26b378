"""Which programs load weights to use them, and run on a CPU from beginning to end."""

import ast

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    defaults_of,
    is_constant,
    last_name,
    own_calls,
    parameters,
    receiver,
    walk,
)
from ..shared.cpu_path import cpu_path
from ..shared.gpu_calls import is_call
from ..shared.gpu_needs import needs_of, trains
from ..shared.loops import is_optimizer
from ..shared.programs import starts
from .cpu_users import USING
from .without_training import callers, is_used_without_training


def is_used_on_the_cpu(module: Module, load: ast.Call) -> bool:
    """Whether a program that chooses the CPU by itself, and needs no GPU, loads weights to use.

    It trains nothing, or a condition asks for the use: `if args.evaluate:`, or another run than
    one that trains is given the file. What a function for tests loads without such a condition is
    often what the same run saved.
    """
    resumes = brings_an_optimizer(module, load)
    ways = [
        training
        for start in starts(module)
        for way, training in [whole_way(start)]
        if load in way and not is_turned_off(module, load, way)
    ]
    if not resumes and not all(ways):
        return True
    if not ways:
        return False
    asked = not resumes and is_asked_for(module, load)
    return asked or is_used_without_training(module, load)


def brings_an_optimizer(module: Module, load: ast.Call) -> bool:
    """Whether the function that loads gives an optimizer its state, to go on with a training."""
    return any(
        is_optimizer(module, receiver(one))
        for one in own_calls(module.function(load), "load_state_dict")
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
    way = frozenset(node for _, node in cpu_path(start).nodes)
    return way, trains(start) or any(is_call(node, "fit") for node in way)


def is_turned_off(module: Module, load: ast.Call, way: frozenset[ast.AST]) -> bool:
    """Whether a place is under a parameter of its function that each call leaves false."""
    scope, inner = module.function(load), module.statement(load)
    for around in module.ancestors(inner):
        if around is scope or not isinstance(scope, FUNCTIONS):
            return False
        test = around.test if isinstance(around, ast.If) and inner in around.body else None
        if isinstance(test, ast.Name) and test.id in parameters(scope):
            place = parameters(scope).index(test.id)
            given = [
                argument(call, place, test.id) or defaults_of(scope).get(test.id)
                for _, call in callers(module, scope)
                if call in way
            ]
            if all(is_constant(one, False, None, 0, "") for one in given):
                return True
        if isinstance(around, ast.stmt):
            inner = around
    return False
