"""The flag by which torch before 0.4 built no graphs."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import FUNCTIONS, argument, is_constant, last_name, mentions, parameters
from ..shared.graphs import called_under, under
from ..shared.loops import repeated
from .provided import is_for_a_release


@rule(
    "TG812",
    "`volatile` has no effect",
    why="""Torch 0.4 removed it and ignores it: the evaluation builds autograd graphs, with several
    times the memory. It is a hint where every caller is under `no_grad`, in a notebook that trains
    nothing, outside of loops, for a target, and in a `forward`, which the training runs too.""",
    remedy="run the evaluation under `torch.no_grad()`",
    source="https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",
    bad="""
from torch.autograd import Variable


def predict(model, images):
    return model(Variable(images, volatile=True))  # <--


def predict_all(model, images, size):
    for start in range(0, len(images), size):
        yield predict(model, images[start : start + size])
""",
    good="""
import torch


@torch.no_grad()
def predict(model, images):
    return model(images)
""",
    severity=Severity.WARNING,
    once=True,
)
def volatile(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("0.4")
    asked: set[ast.AST] = set()  # one place of a function will do
    for node in module.keywords:
        call = module.parents[node]
        if (
            node.arg != "volatile"
            or not isinstance(call, ast.Call)
            or last_name(call.func) != "Variable"
            or under(module, call)
            or is_for_a_release(module, call)
        ):
            continue
        if is_constant(node.value, True):
            scope = module.function(call)
            shown = module.name.endswith(".ipynb") and "backward" not in module.calls
            idle = old or shown or freezes(module, scope) or called_under(module, scope, set())
            target = any(mentions(one, "target", "label") for one in call.args)
            trains = getattr(scope, "name", "") == "forward"  # which the training runs, too
            yield Spot(call, unsure=idle or target or trains or not repeated(module, call))
        elif module.function(call) not in asked and is_asked_in_loops(module, node.value):
            asked.add(module.function(call))
            yield Spot(call, unsure=old)


def is_asked_in_loops(module: Module, value: ast.expr) -> bool:
    """Whether a value is a parameter for which loops give True, and graphs would be computed.

    `volatile=volatile`, or `volatile=not train` for which they give False.
    """
    wanted = not isinstance(value, ast.UnaryOp)
    name = value.operand if isinstance(value, ast.UnaryOp) else value
    function = module.function(value)
    if not isinstance(function, FUNCTIONS) or not isinstance(name, ast.Name):
        return False
    if name.id not in parameters(function):
        return False
    place = parameters(function).index(name.id)
    return any(
        is_constant(argument(call, place, name.id), wanted)
        and keeps(other, call)
        and (any(True for _ in module.loops_around(value)) or comes_again(other, call))
        for other, call in module.project.calls_of(module, function)
    )


def comes_again(module: Module, call: ast.Call) -> bool:
    """Whether a call is made in a loop, or for one that is two functions above."""
    above = module.project.calls_of(module, module.function(call))
    return repeated(module, call) or any(repeated(other, one) for other, one in above)


def freezes(module: Module, scope: ast.AST) -> bool:
    """Whether a function turns the gradients of parameters off, and not on again."""
    given = [
        one.value
        for name, several in module.assigned.items()
        if name.endswith(".requires_grad")
        for one in several
        if module.function(one) is scope
    ]
    return bool(given) and all(is_constant(one, False) for one in given)


def keeps(module: Module, call: ast.Call) -> bool:
    """Whether nothing turns graphs off around a call."""
    scope = module.function(call)
    return not (under(module, call) or freezes(module, scope) or called_under(module, scope, set()))
