"""What an optimizer was, and is no longer."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import FUNCTIONS, argument, last_name, own_calls, receiver, same, written
from ..randomness.reach_of_seeds import excludes
from ..shared.loops import CLIPPING, OPTIMIZERS, is_scheduler
from .gone_through import gone_through_again


@rule(
    "TG422",
    "the scheduler changes an optimizer that is no longer used",
    why="""The optimizer is created again after the scheduler: only the old one's rate falls, and
    training continues with the initial rate.""",
    remedy="create the scheduler after the last optimizer",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def fit(model, epochs, run_epoch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # <--
    for epoch in range(epochs):
        run_epoch(model, optimizer)
        scheduler.step()
""",
    good="""
import torch


def fit(model, epochs, run_epoch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch(model, optimizer)
        scheduler.step()
""",
)
def left_behind(module: Module) -> Iterator[ast.AST]:
    made = [
        statement
        for statements in module.assigned.values()
        for statement in statements
        if isinstance(statement.value, ast.Call)
        and module.is_torch(statement.value.func, *OPTIMIZERS)
    ]
    for calls in list(module.calls.values()) if made else ():
        for call in calls:
            if not module.qualified(call.func).startswith("torch.optim.lr_scheduler.") or not (
                call.args
            ):
                continue
            scope = module.function(call)
            for statement in made if own_calls(scope, "step") else ():
                if (
                    module.function(statement) is scope
                    and same(statement.targets[0], call.args[0])
                    and statement.lineno > call.lineno
                    and not excludes(module, call, statement)
                    and not rebuilt(module, call, statement)
                    and goes_on(module, call, statement)
                ):
                    yield statement


def rebuilt(module: Module, call: ast.Call, statement: ast.Assign) -> bool:
    """Whether another scheduler is made for the new optimizer."""
    made = module.parents[call]
    target = made.targets[0] if isinstance(made, ast.Assign) else None
    anew = module.assigned.get(written(target), ()) if target is not None else ()
    return any(one.lineno > statement.lineno for one in anew) or any(
        module.qualified(other.func).startswith("torch.optim.lr_scheduler.")
        and other.lineno > statement.lineno
        for other in own_calls(module.function(call))
    )


def goes_on(module: Module, call: ast.Call, statement: ast.Assign) -> bool:
    """Whether a scheduler of the function steps after the optimizer is replaced."""
    loops = set(module.loops_around(statement))
    return any(
        is_scheduler(module, receiver(step))
        and (step.lineno > statement.lineno or loops.intersection(module.loops_around(step)))
        for step in own_calls(module.function(call), "step")
    )


@rule(
    "TG423",
    "the parameters are a generator that is used up",
    why="""`parameters()` can be iterated only once. If the optimizer gets it first, nothing is left
    to clip: `clip_grad_norm_` gets no parameters, and silently does nothing. A loop over them that
    follows does nothing either.""",
    remedy="keep `list(model.parameters())`",
    source=f"{STABLE}/generated/torch.nn.utils.clip_grad_norm_.html",
    bad="""
import torch
from torch.nn.utils import clip_grad_norm_


class Optim:
    def __init__(self, params, lr, clip):
        self.params, self.clip = params, clip
        self.optimizer = torch.optim.SGD(self.params, lr=lr)

    def step(self):
        clip_grad_norm_(self.params, self.clip)  # <--
        self.optimizer.step()


def build(model):
    return Optim(model.parameters(), 0.1, 1.0)
""",
    good="""
import torch
from torch.nn.utils import clip_grad_norm_


class Optim:
    def __init__(self, params, lr, clip):
        self.params, self.clip = list(params), clip
        self.optimizer = torch.optim.SGD(self.params, lr=lr)

    def step(self):
        clip_grad_norm_(self.params, self.clip)
        self.optimizer.step()


def build(model):
    return Optim(model.parameters(), 0.1, 1.0)
""",
)
def used_up(module: Module) -> Iterator[ast.AST]:
    yield from gone_through_again(module)
    for node in module.classes:
        methods = {one.name: one for one in node.body if isinstance(one, FUNCTIONS)}
        first = methods.get("__init__")
        if first is None:
            continue
        names = [one.arg for one in first.args.args]
        clips = [
            call for method in methods.values() for call in own_calls(method) if clips_all(call)
        ]
        for call in clips:
            kept = call.args[0]
            values = [
                statement.value
                for statement in module.assigned.get(written(kept), ())
                if module.class_of(statement) is node
            ]
            if len(values) == 1 and isinstance(values[0], ast.Name) and values[0].id in names:
                place = names.index(values[0].id) - 1
                if given_to_an_optimizer(module, kept) and any(
                    is_generator(argument(one, place, values[0].id))
                    for _, one in module.project.callers.get(node.name, ())
                ):
                    yield call


def clips_all(call: ast.Call) -> bool:
    """Whether it clips what an attribute holds."""
    names = (*CLIPPING, "clip_grad_norm")
    return last_name(call.func) in names and bool(call.args) and "." in written(call.args[0])


def given_to_an_optimizer(module: Module, kept: ast.expr) -> bool:
    """Whether a method makes an optimizer of the same attribute."""
    return any(call.args and same(call.args[0], kept) for call in module.torch_calls(*OPTIMIZERS))


def is_generator(value: ast.expr | None) -> bool:
    """Whether it is `model.parameters()`, as it is."""
    return isinstance(value, ast.Call) and last_name(value.func) == "parameters"
