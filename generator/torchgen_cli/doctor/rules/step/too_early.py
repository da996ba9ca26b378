"""Schedulers that step before the optimizer does."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    blocks,
    is_constant,
    is_text,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.default_numbers import numbers
from ..shared.loops import is_scheduler, optimizer_steps, repeated, scaled_steps

# schedules that drop at some epochs, and are constant in between
BY_STEPS = re.compile(r"Step|Plateau|Milestone")
BASES = ("LRScheduler", "_LRScheduler", *("StepLR", "MultiStepLR", "ReduceLROnPlateau"))
# names for how far a run is
PROGRESS = re.compile(r"epoch|iter|step|first|start|warm|begin|^(i|n|it)$", re.I)


@rule(
    "TG409",
    "the scheduler steps before the optimizer",
    why="""The first value of the schedule is skipped, and each drop comes an epoch early. Torch 1.1
    reversed the order. It is a hint unless the schedule is known to drop at some epochs, as StepLR
    does: one value more or less of a smooth schedule, or of one that steps with each batch, hardly
    matters. Neither does one whose factor is 1 by default.""",
    remedy="call `scheduler.step()` after `optimizer.step()`",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def fit(model, loader, optimizer, loss_of):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        scheduler.step()  # <--
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    good="""
import torch


def fit(model, loader, optimizer, loss_of):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        scheduler.step()
""",
    severity=Severity.WARNING,
)
def scheduler_first(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("1.1")
    scopes = {
        module.function(call): None
        for call in module.calls.get("step", ())
        if is_scheduler(module, receiver(call))
    }
    for scope in scopes:
        for block in blocks(scope):
            steps = [place for place, statement in enumerate(block) if trains(module, statement)]
            for statement in block[: steps[0]] if steps else ():
                if not repeated(module, statement):
                    continue
                branches = [statement]
                if isinstance(statement, ast.If):  # if args.cosine: scheduler.step()
                    if depends_on_progress(module, statement):
                        continue
                    branches = [*statement.body, *statement.orelse]
                for call in filter(None, (scheduler_step(module, one) for one in branches)):
                    made = schedules(module, call)
                    if made and all(is_constant(one, None) for one in made):
                        continue  # there is none
                    drops = any(
                        drops_at_epochs(module, one) and not is_constant_rate(module, one)
                        for one in made
                    )
                    yield Spot(
                        call, unsure=old or not drops or not in_a_loop(module, block[steps[0]])
                    )


def schedules(module: Module, call: ast.Call) -> list[ast.expr]:
    """What the scheduler that a call moves on may be: in its function, or else in the program."""
    held = receiver(call)
    assert held is not None
    own = module.value_in(held, module.function(call))
    return own or [
        one.value
        for other in module.project.near(module)
        for target, statements in other.assigned.items()
        if target.rpartition(".")[2] == last_name(held)
        for one in statements
    ]


def drops_at_epochs(module: Module, value: ast.expr) -> bool:
    """Whether it makes a schedule such as StepLR; one of another kind may set the first rate."""
    if not isinstance(value, ast.Call) or not BY_STEPS.search(last_name(value.func)):
        return False
    own = module.project.classes.get(last_name(value.func), ())
    return all(module.project.derives(where, node, *BASES) for where, node in own)


def is_constant_rate(module: Module, made: ast.expr) -> bool:
    """Whether a schedule such as StepLR is left at the factor 1, which changes no rate."""
    factor = argument(made, 2, "gamma") if isinstance(made, ast.Call) else None
    return numbers(module, factor) == {1}


def depends_on_progress(module: Module, asked: ast.If) -> bool:
    """Whether a condition asks how far the run is: `if epoch > 0:`, `if not first:`."""
    loops = list(module.loops_around(asked))
    stored = {
        node.id
        for loop in loops
        for node in own_nodes(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    test = asked.test
    if isinstance(test, ast.Compare) and is_text(test.comparators[0]):
        return False  # if phase == "train":
    own = {node for node in walk(test) if isinstance(node, ast.Name) or "self." in written(node)}
    return any(
        (isinstance(node, ast.Name) and node.id in stored)
        or (written(node).count(".") < 2 and PROGRESS.search(last_name(node)) is not None)
        for node in own
    )


def in_a_loop(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement that trains makes many steps of the optimizer, itself or by a call."""
    steps = [*optimizer_steps(module, statement), *scaled_steps(module, statement)]
    if steps:
        inside = {statement, *own_nodes(statement)}
        return any(loop in inside for step in steps for loop in module.loops_around(step))
    return any(
        any(True for _ in other.loops_around(step))
        for call in own_calls(statement)
        for other, function in module.project.resolve(module, call)
        for step in [*optimizer_steps(other, function), *scaled_steps(other, function)]
    )


def scheduler_step(module: Module, statement: ast.stmt) -> ast.Call | None:
    """The call of a statement that is `scheduler.step()`."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    plain = last_name(call.func) == "step" and not call.args and not call.keywords
    return call if plain and is_scheduler(module, receiver(call)) else None


def trains(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement makes optimizer steps, itself or in a function of the file."""
    if optimizer_steps(module, statement) or scaled_steps(module, statement):
        return True
    if isinstance(statement, FUNCTIONS):
        return False
    calls = own_calls(statement)
    # `model.train()` sets a mode
    return any(
        optimizer_steps(other, function)
        for call in calls
        if isinstance(call.func, ast.Name) or call.args
        for other, function in module.project.resolve(module, call)
    )
