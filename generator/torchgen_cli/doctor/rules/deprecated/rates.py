"""Learning rates, read."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import receiver
from ..shared.loops import is_scheduler, schedulers_made
from .provided import is_for_a_release

# which compute the rate from the number of the step
CLOSED = ("CosineAnnealingWarmRestarts", "CyclicLR", "LambdaLR", "OneCycleLR")


@rule(
    "TG810",
    "`get_lr` is how a scheduler computes its next rate, not the rate in use",
    why="""Outside `step` it warns, and where the rate is about to change it returns a different one
    from the optimizer's: the logged rate is not the one used. For LambdaLR and others that
    compute it from the step alone it is the rate in use, so it is a hint there.""",
    remedy="call `get_last_lr()`",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.LRScheduler.html",
    bad="""
from torch.optim.lr_scheduler import StepLR


def train(optimizer, epochs, run_epoch, log):
    scheduler = StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch()
        log(scheduler.get_lr()[0])  # <--
        scheduler.step()
""",
    good="""
from torch.optim.lr_scheduler import StepLR


def train(optimizer, epochs, run_epoch, log):
    scheduler = StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch()
        log(scheduler.get_last_lr()[0])
        scheduler.step()
""",
    severity=Severity.WARNING,
    once=True,
)
def computed_rate(module: Module) -> Iterator[Spot]:
    project = module.project
    if "get_lr" not in module.calls or "get_lr" in project.functions:
        return  # a scheduler of one's own
    for call in module.calls.get("get_lr", ()):
        owner = receiver(call)
        if owner is not None and is_scheduler(module, owner) and not call.args:
            values = module.value_in(owner, module.function(call))
            closed = any(is_closed(module, value) for value in values)
            closed |= not values and project.contains(b"_schedule_with_warmup(")
            handed = not any(isinstance(value, ast.Call) for value in values)
            closed |= handed and makes_closed_alone(module)
            if is_for_a_release(module, call):
                continue
            # the older one has no `get_last_lr`
            unsure = closed or project.stays_before_torch("1.4") or is_left_unread(module, call)
            yield Spot(call, unsure=unsure)


def makes_closed_alone(module: Module) -> bool:
    """Whether all schedulers that a program makes compute each rate from the step alone."""
    made = [
        is_closed(other, call)
        for other in module.project.near(module)
        for call in schedulers_made(other)
    ]
    return bool(made) and all(made)


def is_left_unread(module: Module, call: ast.Call) -> bool:
    """Whether the rate is given to a variable that nothing reads."""
    inner: ast.AST = call
    while isinstance(module.parents[inner], ast.Subscript):  # of all groups the first
        inner = module.parents[inner]
    statement = module.parents[inner]
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return False
    return not any(
        isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load)
        for node in module.parents
    )


def is_closed(module: Module, value: ast.expr) -> bool:
    """Whether it makes a scheduler that computes each rate from the step alone."""
    if not isinstance(value, ast.Call):
        return False
    classes = module.project.classes_named(module, value.func) or ()
    name = module.qualified(value.func)
    helper = name.startswith(("transformers.", "diffusers."))  # which make a LambdaLR
    return (
        helper
        or name.endswith(CLOSED)
        or any(other.project.derives(other, node, "LambdaLR") for other, node in classes)
    )
