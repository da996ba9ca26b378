"""What a resumed run loses with a state: nothing, what soon comes back, or what matters."""

import ast
import re
from collections.abc import Iterable, Iterator

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.loops import OPTIMIZERS, is_rate, is_scheduler, schedulers_made
from .resuming import follows_from_the_epoch

COUNTS = re.compile(r"epoch|step|iter", re.I)
ANEW = 0, 1, -1  # numbers that a count begins with


def keeps_state(program: Iterable[Module]) -> bool:
    """Whether an optimizer may have a state that lasts: SGD without momentum has none."""
    made = list(optimizers_of(program))
    return not made or any(
        (not is_sgd(*one) or has_momentum(one[1])) and not is_renewed(*one) for one in made
    )


def is_renewed(module: Module, made: ast.Call) -> bool:
    """Whether each epoch begins with a new optimizer."""
    scope = module.function(made)
    calls = list(module.project.calls_of(module, scope)) if isinstance(scope, FUNCTIONS) else []
    return is_in_each_epoch(module, made) or (
        bool(calls) and all(is_in_each_epoch(*one) for one in calls)
    )


def is_in_each_epoch(module: Module, node: ast.AST) -> bool:
    """Whether a place is in a loop over epochs."""
    return any(
        isinstance(loop, ast.For) and "epoch" in ast.unparse(loop.target).lower()
        for loop in module.loops_around(node)
    )


def comes_back_soon(program: list[Module]) -> bool:
    """Whether momentum alone is lost, as the learning rate follows from the epoch."""
    made = list(optimizers_of(program))
    momentum_alone = bool(made) and all(is_sgd(*one) for one in made)
    return momentum_alone and any(
        follows_from_the_epoch(one) or is_replayed(one) or sets_the_rate(one) for one in program
    )


def optimizers_of(program: Iterable[Module]) -> Iterator[tuple[Module, ast.Call]]:
    """The calls that make one of torch's optimizers, each with its file."""
    for module in program:
        yield from ((module, call) for call in module.torch_calls(*OPTIMIZERS))


def is_sgd(module: Module, call: ast.Call) -> bool:
    """Whether it makes an SGD."""
    return module.qualified(call.func).endswith(".SGD")


def has_momentum(call: ast.Call) -> bool:
    """Whether an SGD may be given a momentum."""
    given = argument(call, 2, "momentum")
    return has_stars(call) or not (given is None or is_constant(given, 0, 0.0))


@kept
def is_replayed(module: Module) -> bool:
    """Whether a loop does nothing but move schedulers on, and the like, to where the run was."""
    return any(
        all(map(moves_on, loop.body))
        and any(is_scheduler(module, receiver(one)) for one in own_calls(loop, "step"))
        for loop in module.loops
    )


def moves_on(statement: ast.stmt) -> bool:
    """Whether a statement is `scheduler.step()` or `next(rates)`, maybe under a condition."""
    if isinstance(statement, ast.If):
        return all(map(moves_on, (*statement.body, *statement.orelse)))
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and last_name(call.func) in ("next", "step")


@kept
def sets_the_rate(module: Module) -> bool:
    """Whether a file computes the learning rate, and no count that it takes begins anew."""
    scopes = {module.function(n): None for n in module.attributes if n.attr == "param_groups"}
    return any(
        isinstance(node, ast.Assign)
        and is_rate(node.targets[0])
        and not any(is_rate(one) for one in walk(node.value))
        and not starts_anew(module, node.value)
        for scope in scopes
        for node in own_nodes(scope)
    )


def starts_anew(module: Module, value: ast.expr) -> bool:
    """Whether a value is computed from a count that the same function begins with a number."""
    scope = module.function(value)
    sources = [value, *(module.value_in(value, scope) if isinstance(value, ast.Name) else ())]
    counts = [
        one
        for source in sources
        for one in walk(source)
        if isinstance(one, ast.Name) and COUNTS.search(one.id)
    ]
    given = [module.value_in(one, scope) for one in counts]
    return any(one and all(is_constant(value, *ANEW) for value in one) for one in given)


def is_never_made(program: Iterable[Module], scheduler: ast.expr | None) -> bool:
    """Whether a program gives the name of a scheduler None, and nothing else."""
    name = written(scheduler) if scheduler is not None else ""
    given = [one.value for module in program for one in module.assigned.get(name, ())]
    return bool(given) and all(is_constant(one, None) for one in given)


def all_follow_from_the_rate(program: Iterable[Module]) -> bool:
    """Whether each scheduler made multiplies the optimizer's rate at each step, and knows no more.

    It goes on from the rate that is in the optimizer's state.
    """
    made = [
        (module.qualified(call.func).rpartition(".")[2], call)
        for module in program
        for call in schedulers_made(module)
    ]
    return bool(made) and all(
        name == "ExponentialLR"
        or (name == "StepLR" and is_constant(argument(call, 1, "step_size"), 1))
        for name, call in made
    )
