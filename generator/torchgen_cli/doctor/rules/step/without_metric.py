"""Schedules that wait for a metric, and are never given one."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import last_name, receiver
from ..shared.loops import is_scheduler
from .moved_otherwise import may_be_moved_otherwise

PLATEAU = "ReduceLROnPlateau"


@rule(
    "TG432",
    "`ReduceLROnPlateau` steps without a metric",
    why="""`step` of this scheduler needs the value that it monitors. No scheduler step in the
    program passes one: where this scheduler is chosen, the first step raises a TypeError.""",
    remedy="call `scheduler.step(metric)` for this scheduler",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html",
    bad="""
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def train(optimizer, run_epoch, args):
    if args.policy == "step":
        scheduler = StepLR(optimizer, 30)
    else:
        scheduler = ReduceLROnPlateau(optimizer, patience=5)  # <--
    for epoch in range(args.epochs):
        run_epoch()
        scheduler.step()
""",
    good="""
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def train(optimizer, run_epoch, args):
    if args.policy == "step":
        scheduler = StepLR(optimizer, 30)
    else:
        scheduler = ReduceLROnPlateau(optimizer, patience=5)
    for epoch in range(args.epochs):
        loss = run_epoch()
        if args.policy == "step":
            scheduler.step()
        else:
            scheduler.step(loss)
""",
)
def stepped_without_metric(module: Module) -> Iterator[ast.Call]:
    if module.project.has_framework(module):
        return
    for call in module.torch_calls(PLATEAU):
        names = names_given(module, call)
        steps = [
            (other, step, last_name(receiver(step) or step))
            for other in module.project.near(module)
            for step in other.calls.get("step", ())
        ]
        told = any(
            step.args or step.keywords
            for _, step, name in steps
            if "sched" in name or name in names
        )
        bare = any(
            name in names and is_scheduler(other, receiver(step)) for other, step, name in steps
        )
        handed = any(  # scaler.step(scheduler), engine.step(scheduler)
            last_name(one) in names for _, step, _ in steps for one in step.args
        )
        if bare and not told and not handed and not may_be_moved_otherwise(module, [call]):
            yield call


def names_given(module: Module, call: ast.Call) -> set[str]:
    """The names of the schedule that a call makes: of variables, and of what its function gives."""
    around = module.parents[call]
    targets = around.targets if isinstance(around, ast.Assign) else []
    names = {last_name(one) for one in targets}
    function = module.function(call)
    for other, made in module.project.calls_of(module, function):
        statement = other.parents[made]
        if isinstance(statement, ast.Assign):
            names |= {last_name(one) for one in statement.targets}
    return names - {""}
