"""Optimizers that are brought back to a run whose schedule begins at its first epoch."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot
from ...syntax import is_constant, last_name, receiver, walk, written
from ..shared.loops import is_optimizer, is_scheduler
from ..shared.states import filled_in, plain_saves, value_before
from .resume import program_of
from .resuming import brings_optimizer, follows_from_the_epoch, has_resuming_flag, trains_apart

COUNTS = re.compile(r"epoch|step|iter|sched", re.I)
STARTS = re.compile(
    r"(start|begin|first|init(ial)?|resumed?|last|done|trained|current)_?(epoch|iter|step)"
    r"|(epoch|iter|step)s?_?(start|begin|offset|done|trained|resumed?)",
    re.I,
)


def lost_place(module: Module) -> Iterator[Spot]:
    """Where an optimizer's state is saved and brought back, and nothing says how far the run was.

    The loop over epochs begins at its first one, and a scheduler with it. That may be meant, so it
    is a hint where no flag says that a run is gone on with.
    """
    own = [call for call in plain_saves(module) if is_state_without_count(module, call)]
    if not own or module.project.has_framework(module):
        return
    brought = module.project.imported_parts
    program = [module, *(o for o in program_of(module) if not trains_apart(o, brought))]
    if not any(map(brings_optimizer, program)) or any(map(knows_the_place, program)):
        return
    begins = [first_of(loop) for other in program for loop in other.loops]
    if any(begins) and False not in begins and any(map(steps_scheduler, program)):
        unsure = not any(map(has_resuming_flag, program))
        yield Spot(own[0], "without the epoch and the scheduler", unsure)


def is_state_without_count(module: Module, call: ast.Call) -> bool:
    """Whether an optimizer's state is saved, and no number beside it."""
    given = call.args[0]
    if is_optimizer_state(module, given):
        return True
    content = filled_in(
        module, module.function(call), written(given), value_before(module, given, call)
    )
    if not isinstance(content, ast.Dict) or None in content.keys:
        return False
    return any(is_optimizer_state(module, one) for one in content.values)


def is_optimizer_state(module: Module, value: ast.expr) -> bool:
    """Whether it is `optimizer.state_dict()`."""
    return (
        isinstance(value, ast.Call)
        and last_name(value.func) == "state_dict"
        and is_optimizer(module, receiver(value))
    )


def knows_the_place(module: Module) -> bool:
    """Whether a file may tell how far a run was: by a key, a name, or the scheduler's state."""
    states = [*module.calls.get("state_dict", ()), *module.calls.get("load_state_dict", ())]
    if follows_from_the_epoch(module) or any(is_scheduler(module, receiver(c)) for c in states):
        return True
    names = [*module.assigned, *(one.attr for one in module.attributes)]
    names += [one.arg or "" for one in module.keywords]
    flags = [one for call in module.calls.get("add_argument", ()) for one in call.args]
    names += [str(one.value).replace("-", "_") for one in flags if isinstance(one, ast.Constant)]
    if any(map(STARTS.search, names)):
        return True
    return any(
        isinstance(node, ast.Dict | ast.Subscript) and has_count(node) for node in walk(module.tree)
    )


def has_count(node: ast.Dict | ast.Subscript) -> bool:
    """Whether a key is the number of an epoch or step, or that of a schedule."""
    keys = node.keys if isinstance(node, ast.Dict) else [node.slice]
    return any(
        isinstance(key, ast.Constant) and COUNTS.search(str(key.value)) is not None for key in keys
    )


def steps_scheduler(module: Module) -> bool:
    """Whether a file moves a scheduler on."""
    return any(is_scheduler(module, receiver(step)) for step in module.calls.get("step", ()))


def first_of(loop: ast.AST) -> bool | None:
    """Whether a loop over epochs begins at a number that is written out; None for other loops."""
    if not isinstance(loop, ast.For | ast.While) or "epoch" not in ast.unparse(
        loop.target if isinstance(loop, ast.For) else loop.test
    ):
        return None
    made = loop.iter if isinstance(loop, ast.For) else None
    if isinstance(made, ast.Call) and last_name(made.func) == "tqdm" and made.args:
        made = made.args[0]
    if not isinstance(made, ast.Call) or last_name(made.func) not in ("range", "trange"):
        return False
    return len(made.args) == 1 or is_constant(made.args[0], 0, 1)
