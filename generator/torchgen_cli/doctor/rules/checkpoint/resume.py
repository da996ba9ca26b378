"""What a resumed run must not lose: the run itself, and its best score."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    Loop,
    last_name,
    mentions,
    own_calls,
    receiver,
    walk,
    written,
)
from ..shared.loops import is_optimizer, repeated
from ..shared.weights_alone import is_script
from .best_anew import begins_anew, chosen_saves
from .best_read import is_new_each_time, overwritten, saves_by_flag

COUNTS = re.compile(r"epoch|step|iter", re.I)


@rule(
    "TG608",
    "a resumed run forgets the best score",
    why="""The optimizer is restored, but the best score starts at its initial value again: the
    first evaluation after the resume counts as the best, and overwrites the best checkpoint. It is
    a hint where the path of the best one contains the time, or only weights are restored.""",
    remedy="save the best score in the checkpoint, and load it on resume",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html",
    bad="""
import torch


def fit(model, optimizer, evaluate, epochs, path, resume):
    best_accuracy = 0.0
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    for epoch in range(start, epochs):
        accuracy = evaluate(model, optimizer)
        if accuracy > best_accuracy:  # <--
            best_accuracy = accuracy
            torch.save(model.state_dict(), f"{path}.best")
""",
    good="""
import torch


def fit(model, optimizer, evaluate, epochs, path, resume):
    best_accuracy = 0.0
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start, best_accuracy = state["epoch"], state["best_accuracy"]
    for epoch in range(start, epochs):
        accuracy = evaluate(model, optimizer)
        if accuracy > best_accuracy:
            best_accuracy = accuracy
            torch.save(model.state_dict(), f"{path}.best")
""",
    severity=Severity.WARNING,
)
def forgotten_best(module: Module) -> Iterator[ast.AST | Spot]:
    yield from overwritten(module)
    asked = any(is_asked_for(module, one) for one in module.calls.get("load_state_dict", ()))
    brought = [place for one in program_of(module) for place in places(module, one)]
    if not asked and not brought:
        return
    for node, call, best, rounds in chosen_saves(module):
        before = [one for one in brought if comes_before(module, one, rounds)]
        if (before or asked) and begins_anew(module, node, best, rounds):
            yield Spot(node, unsure=not before or is_new_each_time(module, call))
    for chosen, call, best in saves_by_flag(module):
        outer = list(module.loops_around(call))[-1]
        whole = any(comes_before(module, place, outer) for place in brought)
        if whole and begins_anew(module, chosen, best, outer):
            yield Spot(chosen, unsure=is_new_each_time(module, call))


def program_of(module: Module) -> list[Module]:
    """A file and those around it, without other scripts."""
    return [o for o in module.project.near(module) if o is module or not is_script(o)]


def places(module: Module, other: Module) -> list[ast.Call]:
    """Where a file brings a run back, by itself or by a function of another file."""
    if not goes_on(other):
        return []
    if other is not module:
        return loading_calls(module, other)
    loads = module.calls.get("load_state_dict", ())
    own = [one for one in loads if getattr(module.function(one), "name", "") not in module.calls]
    return [*own, *loading_calls(module, module)]


def comes_before(module: Module, call: ast.Call, rounds: Loop | Function) -> bool:
    """Whether a call may come before a loop: it stands before it, or in another function.

    A method that is called again and again is a loop, too; what loads in each round restores
    nothing.
    """
    if isinstance(rounds, FUNCTIONS):
        name = getattr(module.function(call), "name", "__init__")
        here = name == "__init__" or name in module.calls  # others may only evaluate
        return here and module.function(call) is not rounds and not repeated(module, call)
    scope = module.function(rounds)
    if isinstance(scope, FUNCTIONS) and last_name(call.func) == scope.name:  # main()
        return any(one.lineno < rounds.lineno for one in own_calls(scope, "load_state_dict"))
    return module.function(call) is not scope or call.lineno < rounds.lineno


def uses(module: Module, other: Module) -> bool:
    """Whether a file is another, or calls a function of it that loads."""
    return other is module or bool(loading_calls(module, other))


def loading_calls(module: Module, other: Module) -> list[ast.Call]:
    """The calls in a file of functions of another one that load a state."""
    return [
        call
        for function in other.functions
        if function.name in module.calls and own_calls(function, "load_state_dict")
        for call in module.calls[function.name]
        if (other, function) in module.project.resolve(module, call)
    ]


@kept
def goes_on(module: Module) -> bool:
    """Whether a file brings a run back: its optimizer, or how far it was."""
    loads = module.calls.get("load_state_dict", ())
    if any(
        is_optimizer(module, receiver(call)) and not is_handed_down(module, call) for call in loads
    ):
        return True
    return bool(loads) and any(
        "start" in target.lower() and any(reads_a_count(one.value) for one in statements)
        for target, statements in module.assigned.items()
    )


def is_handed_down(module: Module, call: ast.Call) -> bool:
    """Whether an optimizer of the project hands its state to the one that it wraps."""
    function = module.function(call)
    return getattr(function, "name", "") in ("load_state_dict", "__setstate__")


def is_asked_for(module: Module, load: ast.Call) -> bool:
    """Whether weights that are saved again are loaded where one asked to: `if args.resume:`."""
    asked = any(
        isinstance(one, ast.If) and load not in walk(one.test) and mentions(one.test, "resume")
        for one in module.ancestors(load)
    )
    model = written(receiver(load) or load)
    saved = (written(receiver(one) or one) for one in module.calls.get("state_dict", ()))
    return asked and any(one in (model, f"{model}.module") for one in saved)


def reads_a_count(value: ast.expr) -> bool:
    """Whether a number of epochs or steps is read: `state["epoch"]`."""
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and COUNTS.search(str(node.slice.value)) is not None
        for node in walk(value)
    )
