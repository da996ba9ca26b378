"""What is kept of a run, and when."""

import ast
import itertools
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Loop,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
)
from ..shared.loops import is_scheduler
from .repeated_epoch import begins_again
from .resuming import BRINGING


@rule(
    "TG615",
    "the scheduler is saved before it steps",
    why="""The checkpoint of an epoch holds the schedule of that epoch, and the resumed run starts
    the next epoch with it: one epoch is trained with the previous rate, and the schedule stays one
    epoch behind. It is a hint where nothing in the program loads the scheduler's state, and for
    ReduceLROnPlateau, which misses one value of its metric.""",
    remedy="call `scheduler.step()` before saving the checkpoint",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def fit(model, optimizer, scheduler, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model, optimizer)
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "epoch": epoch + 1,
        }
        torch.save(state, f"{epoch}.pt")
        scheduler.step()  # <--


def go_on(path, scheduler):
    scheduler.load_state_dict(torch.load(path, weights_only=True)["scheduler"])
""",
    good="""
import torch


def fit(model, optimizer, scheduler, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model, optimizer)
        scheduler.step()
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "epoch": epoch + 1,
        }
        torch.save(state, f"{epoch}.pt")


def go_on(path, scheduler):
    scheduler.load_state_dict(torch.load(path, weights_only=True)["scheduler"])
""",
)
def saved_too_early(module: Module) -> Iterator[Spot]:
    for loop in module.loops:
        if any(True for _ in begins_again(module, loop)):
            continue  # that of TG611: the epoch is done again, with the rate that it had
        if catches_up(module):
            continue
        kept = False
        for statement in loop.body:
            steps = [c for c in own_calls(statement, "step") if is_scheduler(module, receiver(c))]
            plain = [
                c
                for c in steps
                if not any(True for one in module.loops_around(c) if one is not loop)
            ]
            if kept and plain and not is_told(plain[0]):
                by_metric = bool(plain[0].args)  # which counts to its patience, and knows no epoch
                yield Spot(plain[0], unsure=by_metric or not brings_schedulers_back(module))
            if plain:
                break
            kept = kept or any(
                keeps_scheduler(module, call) and not is_within(module, call, loop)
                for call in own_calls(statement)
            )


def is_within(module: Module, call: ast.Call, loop: Loop) -> bool:
    """Whether a place is in a loop in this one, over batches: its epoch is not over.

    The phases of an epoch are written out.
    """
    inner = itertools.takewhile(lambda one: one is not loop, module.loops_around(call))
    return any(
        not (isinstance(one, ast.For) and isinstance(one.iter, ast.List | ast.Tuple))
        for one in inner
    )


def catches_up(module: Module) -> bool:
    """Whether a scheduler whose state was loaded is moved on at once, in the same block."""
    return any(
        is_scheduler(module, receiver(step))
        and same(receiver(step), receiver(load))
        and module.parents[module.statement(step)] is module.parents[module.statement(load)]
        and load.lineno < step.lineno
        and not any(True for _ in module.loops_around(step))
        for load in module.calls.get("load_state_dict", ())
        for step in module.calls.get("step", ())
    )


def is_told(step: ast.Call) -> bool:
    """Whether a scheduler is told the epoch at each step, and so keeps no place of its own."""
    return any(mentions(one, "epoch") for one in [*step.args, *(k.value for k in step.keywords)])


def brings_schedulers_back(module: Module) -> bool:
    """Whether a file of the program loads a scheduler's state, or has a helper that may do so."""
    return any(
        is_scheduler(other, one) or mentions(one, "sched")
        for other in module.project.near(module)
        for name, calls in other.calls.items()
        if BRINGING.search(name)
        for call in calls
        for one in [receiver(call), *call.args, *(k.value for k in call.keywords)]
        if one is not None
    )


def keeps_scheduler(module: Module, call: ast.Call) -> bool:
    """Whether it takes a scheduler's state, or is given a scheduler by something that saves it."""
    if last_name(call.func) == "state_dict":
        return is_scheduler(module, receiver(call))
    if "save" not in last_name(call.func).lower():
        return False
    given = [*call.args, *(k.value for k in call.keywords)]
    return any(is_scheduler(module, one) for one in given) and any(
        isinstance(node, ast.Call) and last_name(node.func) == "state_dict"
        for _, function in module.project.resolve(module, call)
        for node in own_nodes(function)
        if isinstance(function, FUNCTIONS)
    )
