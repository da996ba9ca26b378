"""What is kept of a run, and when."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    defaults_of,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    walk,
)
from ..shared.loops import is_scheduler
from ..shared.states import saves
from .checkpoint import SAVING
from .last_epochs import fits_by_default, is_endless, saved_elsewhere
from .only_the_best import only_the_best
from .repeated_epoch import begins_again
from .resuming import BRINGING


@rule(
    "TG614",
    "the last epochs of a run may never be saved",
    why="""The only save runs every few epochs, and nothing saves after the loop: unless the number
    of epochs is a multiple of that, the last ones are lost. The code alone does not tell how
    many.""",
    remedy="save after the last epoch too",
    source=SAVING,
    bad="""
import torch


def fit(model, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model)
        if (epoch + 1) % 10 == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")  # <--
""",
    good="""
import torch


def fit(model, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model)
        if (epoch + 1) % 10 == 0 or epoch + 1 == epochs:
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    severity=Severity.HINT,
)
def last_is_lost(module: Module) -> Iterator[Spot]:
    yield from only_the_best(module)
    own = list(saves(module))
    if len(own) != 1 or saved_elsewhere(module):
        return
    call = own[0]
    if any(
        "save" in last_name(other.func).lower() and other is not call
        for other in own_calls(module.function(call))
    ):
        return
    tests = [
        around.test
        for around in module.ancestors(call)
        if isinstance(around, ast.If) and call not in walk(around.test)
    ]
    mods = [
        node
        for test in tests
        for node in walk(test)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and mentions(node.left, "epoch")
    ]
    if (
        not mods
        or any(isinstance(test, ast.BoolOp) for test in tests)
        or every_one_by_default(module, mods[0].right)
    ):
        return
    loops = list(module.loops_around(call))
    fits = any(fits_by_default(module, mods[0], loop) for loop in loops)
    if loops and not fits and not is_endless(loops[-1]):
        yield Spot(call)


def every_one_by_default(module: Module, divisor: ast.expr) -> bool:
    """Whether it is a flag that is 1 unless somebody asks for more."""
    if isinstance(divisor, ast.Name) and fixed(module, divisor):
        return True  # who writes both numbers knows that they fit
    flags = {f"--{last_name(divisor)}", f"--{last_name(divisor).replace('_', '-')}"}
    return is_constant(divisor, 1) or any(
        is_constant(keyword(call, "default"), 1)
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
        if any(is_constant(one, *flags) for one in call.args)
    )


def fixed(module: Module, name: ast.Name) -> bool:
    """Whether a name is a number that is written in the file, as itself or by default."""
    values = [one.value for one in module.assigned.get(name.id, ())]
    function = module.function(name)
    if isinstance(function, FUNCTIONS):
        values += [value for one, value in defaults_of(function).items() if one == name.id]
    return bool(values) and all(
        isinstance(one, ast.Constant)
        or (isinstance(one, ast.Name) and fixed(module, one) and one.id != name.id)
        for one in values
    )


@rule(
    "TG615",
    "the scheduler is saved before it steps",
    why="""The checkpoint of an epoch holds the schedule of that epoch, and the resumed run starts
    the next epoch with it: one epoch is trained with the previous rate, and the schedule stays one
    epoch behind. It is a hint where nothing in the program loads the scheduler's state.""",
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
        kept = False
        for statement in loop.body:
            steps = [c for c in own_calls(statement, "step") if is_scheduler(module, receiver(c))]
            plain = [
                c
                for c in steps
                if not any(True for one in module.loops_around(c) if one is not loop)
            ]
            if kept and plain and not is_told(plain[0]):
                yield Spot(plain[0], unsure=not brings_schedulers_back(module))
            if plain:
                break
            kept = kept or any(keeps_scheduler(module, call) for call in own_calls(statement))


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
