"""Optimizers whose state is saved, and not read by the code that goes on with a run."""

import ast
import re

from ...project import Module
from ...syntax import last_name, own_calls, receiver
from ..shared.loops import is_optimizer
from .keys_read import PROGRESS, keys_read
from .resume import goes_on, program_of
from .resuming import brings, is_for_others, is_of_optimizer

# a flag for a file that a run of the same program wrote
SNAPSHOT = re.compile(r"--(snapshot|checkpoint|ckpt)([-_](path|file))?$")


def brings_back_less(module: Module, content: ast.Dict) -> bool:
    """Whether an optimizer's state is kept, and no code that goes on with a run reads it."""
    kept = any(
        isinstance(value, ast.Call)
        and last_name(value.func) == "state_dict"
        and is_optimizer(module, receiver(value))
        for value in content.values
    )
    near = module.project.near(module)
    read = any(
        is_of_optimizer(other, call)
        for other in near
        for call in other.calls.get("load_state_dict", ())
    )
    handed = any(
        is_optimizer(other, one)
        for other in near
        for name, calls in other.calls.items()
        if brings(name)
        for call in calls
        for one in [*call.args, *(k.value for k in call.keywords)]
    )
    return kept and not read and not handed and is_begun_with(module, content)


def is_begun_with(module: Module, content: ast.Dict) -> bool:
    """Whether a program goes on from what is saved: with its epoch, or with its weights."""
    keys = [str(one.value) for one in content.keys if isinstance(one, ast.Constant)]
    counts = frozenset(filter(PROGRESS.match, keys))
    return any(
        goes_on(other)
        or begins_with(other, content)
        or any(
            own_calls(other.function(one), "load_state_dict")
            and not is_for_others(module, other, one)
            for one in keys_read(other, counts)
        )
        for other in program_of(module)
    )


def begins_with(module: Module, content: ast.Dict) -> bool:
    """Whether a file that trains takes a snapshot by a flag, and reads one of these models."""
    keys = {
        one.value: last_name(receiver(value) or value)
        for one, value in zip(content.keys, content.values, strict=True)
        if isinstance(one, ast.Constant) and isinstance(value, ast.Call)
    }
    asked = any(
        isinstance(one, ast.Constant) and SNAPSHOT.match(str(one.value))
        for call in module.calls.get("add_argument", ())
        for one in call.args
    )
    return (
        asked
        and "backward" in module.calls
        and any(
            isinstance(one, ast.Subscript)
            and isinstance(one.slice, ast.Constant)
            and keys.get(one.slice.value) == last_name(receiver(call) or call)
            for call in module.calls.get("load_state_dict", ())
            for one in call.args[:1]
        )
    )
