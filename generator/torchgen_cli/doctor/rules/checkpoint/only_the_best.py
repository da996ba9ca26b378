"""Runs that keep their best epoch alone, and are gone on with from there."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot
from ...syntax import mentions
from ..shared.programs import run_with
from ..shared.states import saves
from .best_read import compared
from .resume import reads_a_count

DETAIL = "only a new best epoch is saved, and a resume starts from there"


def only_the_best(module: Module) -> Iterator[Spot]:
    """Where all that is saved is a new best, in a program that goes on with what it saved."""
    own = list(saves(module))
    if not own or not all(is_for_the_best(module, call) for call in own):
        return
    program = run_with(module)
    if any(True for other in program if other is not module for _ in saves(other)):
        return
    if any(map(begins_later, program)):
        yield Spot(own[0], DETAIL, unsure=True)


def is_for_the_best(module: Module, call: ast.Call) -> bool:
    """Whether it is reached only where a score is better than the best so far."""
    return any(
        isinstance(one, ast.If) and bool(compared(one.test)) and not mentions(one.test, "epoch")
        for one in module.ancestors(call)
    )


def begins_later(module: Module) -> bool:
    """Whether a file begins with the epoch that a checkpoint names."""
    return "load_state_dict" in module.calls and any(
        "start" in name.lower() and any(reads_a_count(one.value) for one in statements)
        for name, statements in module.assigned.items()
    )
