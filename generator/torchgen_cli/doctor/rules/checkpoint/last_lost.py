"""Runs whose last epochs are trained and not saved."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    defaults_of,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    walk,
)
from ..shared.states import saves
from .checkpoint import SAVING
from .last_epochs import fits_by_default, is_endless, saved_elsewhere
from .lost_epochs import lost_passes
from .only_the_best import only_the_best


@rule(
    "TG614",
    "the last epochs of a run may never be saved",
    why="""The only save runs every few epochs, and nothing saves after the loop: unless the last
    epoch is one of them, the weights of a run are those of an earlier epoch, and what was trained
    after it is lost. It is a hint where the code does not tell the numbers, or where what is lost
    is a fiftieth of the run or less.""",
    remedy="save after the last epoch too",
    source=SAVING,
    bad="""
import torch

EPOCHS = 300


def fit(model, loss_of, optimizer, batches):
    for epoch in range(EPOCHS):
        for batch in batches:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        if epoch % 10 == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")  # <--
""",
    good="""
import torch

EPOCHS = 300


def fit(model, loss_of, optimizer, batches):
    for epoch in range(EPOCHS):
        for batch in batches:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        if (epoch + 1) % 10 == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    severity=Severity.WARNING,
)
def last_is_lost(module: Module) -> Iterator[Spot]:
    yield from only_the_best(module)
    surely = list(lost_passes(module))
    for save, lost, passes in surely:
        told = f"nothing saves the last {lost} of the {passes} passes of the loop"
        scope = module.function(save)
        others = any(module.function(one) is not scope for one in saves(module))
        yield Spot(save, told, unsure=others or lost * 50 <= passes)
    if not surely:
        yield from perhaps_lost(module)


def perhaps_lost(module: Module) -> Iterator[Spot]:
    """The only save of a file, where the number of epochs decides whether the last are saved."""
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
        yield Spot(call, unsure=True)


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
