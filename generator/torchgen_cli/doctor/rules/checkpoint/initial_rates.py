"""Schedulers that are created in the middle of a run, on an optimizer that knows no run."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import FUNCTIONS, is_constant, keyword, own_calls, parameters, receiver, same, walk
from ..shared.loops import OPTIMIZERS

SCHEDULERS = ("CosineAnnealingLR", "ExponentialLR", "LambdaLR", "MultiStepLR", "StepLR")


@rule(
    "TG635",
    "a new optimizer has no `initial_lr`, which a scheduler that starts late needs",
    why="""With `last_epoch` other than -1, a scheduler reads `initial_lr` from each parameter
    group. A scheduler writes it there, and the optimizer's saved state has it; a new optimizer does
    not: the resumed run fails with a KeyError.""",
    remedy="load the optimizer's state first, or create the scheduler and load its state",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.StepLR.html",
    bad="""
import torch


def main(args, model):
    optimizer = torch.optim.SGD(model.parameters(), args.lr)
    if args.resume:
        model.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    return torch.optim.lr_scheduler.StepLR(optimizer, 30, last_epoch=args.start_epoch - 1)  # <--
""",
    good="""
import torch


def main(args, model):
    optimizer = torch.optim.SGD(model.parameters(), args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
    return scheduler
""",
)
def without_initial_rate(module: Module) -> Iterator[ast.Call]:
    if b"initial_lr" in module.project.contents[module.name]:
        return
    for call in module.torch_calls(*SCHEDULERS):
        start = keyword(call, "last_epoch")
        if start is None or not call.args or not may_be_late(module, start):
            continue
        if is_new(module, call, call.args[0]):
            yield call


def may_be_late(module: Module, start: ast.expr) -> bool:
    """Whether the epoch that a scheduler starts from is a setting, or is read from somewhere."""
    if isinstance(start, ast.BinOp):
        return may_be_late(module, start.left)
    scope = module.function(start)
    if isinstance(start, ast.Attribute):
        return not is_constant(start, -1)
    if not isinstance(start, ast.Name):
        return False
    own = isinstance(scope, FUNCTIONS) and start.id in parameters(scope)
    values = [] if own else module.value_in(start, scope)
    return any(not isinstance(one, ast.Constant | ast.UnaryOp) for one in values)


def is_new(module: Module, scheduler: ast.Call, optimizer: ast.expr) -> bool:
    """Whether a function has created an optimizer, and given it to nothing since."""
    scope = module.function(scheduler)
    values = module.value_in(optimizer, scope) if isinstance(optimizer, ast.Name) else []
    made = set(values) & set(module.torch_calls(*OPTIMIZERS))
    if not values or len(made) < len(values):
        return False
    return not any(
        other is not scheduler
        and other.lineno < scheduler.lineno
        and any(
            same(one, optimizer)
            for given in (receiver(other), *other.args)
            if given
            for one in walk(given)
            if isinstance(one, ast.Name)
        )
        for other in own_calls(scope)
    )
