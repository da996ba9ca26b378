"""Comparisons that are never true."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_constant,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from ..shared.states import takes

TENSORS = "https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device"


@rule(
    "TG322",
    "a `torch.device` never equals a string",
    why="""`torch.device("cuda") == "cuda"` is False, and `!=` is True: the branch for this device
    is never taken, or always.""",
    remedy='compare `device.type == "cuda"`',
    source=TENSORS,
    bad="""
import torch


def prepare(model, name):
    device = torch.device(name)
    if device == "cuda":  # <--
        torch.backends.cudnn.benchmark = True
    return model.to(device)
""",
    good="""
import torch


def prepare(model, name):
    device = torch.device(name)
    if device.type == "cuda":
        torch.backends.cudnn.benchmark = True
    return model.to(device)
""",
    severity=Severity.WARNING,
)
def device_as_text(module: Module) -> Iterator[ast.AST]:
    if b"device" not in module.project.contents[module.name]:
        return  # for the sake of speed
    for node in module.parents:
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        if not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            continue
        sides = [node.left, node.comparators[0]]
        for one, other in (sides, sides[::-1]):
            text = isinstance(other, ast.Constant) and isinstance(other.value, str)
            if text and is_device(module, one) and not is_asked_otherwise(module, node, one):
                yield node


def is_asked_otherwise(module: Module, node: ast.Compare, device: ast.expr) -> bool:
    """Whether `or` asks the same of the device in another way, as by `torch.device("cuda")`."""
    around = module.parents[node]
    return (
        isinstance(around, ast.BoolOp)
        and isinstance(around.op, ast.Or)
        and any(
            isinstance(one, ast.Compare) and one is not node and same(one.left, device)
            for one in around.values
        )
    )


def is_device(module: Module, node: ast.expr, depth: int = 2) -> bool:
    """Whether a name is a `torch.device`, whatever way it got its value."""
    if not written(node):
        return makes_device(module, node)
    scope = module.function(node)
    if isinstance(node, ast.Name):
        values = module.value_in(node, scope)
        if isinstance(scope, FUNCTIONS) and takes(scope, node.id):
            return not values and depth > 0 and given_a_device(module, scope, node.id, depth - 1)
        values = values or [
            one.value
            for one in module.assigned.get(node.id, ())
            if module.function(one) is module.tree
        ]
    else:
        values = module.value_in(node, module.tree) if module.class_of(node) else []
    return bool(values) and all(makes_device(module, value) for value in values)


def given_a_device(module: Module, function: Function, name: str, depth: int) -> bool:
    """Whether each call of a function gives it a `torch.device` for a parameter."""
    if name not in parameters(function):
        return False
    place = parameters(function).index(name)
    given = [
        (other, None if has_stars(call) else argument(call, place, name))
        for other, call in module.project.calls_of(module, function)
    ]
    return bool(given) and all(
        value is not None and is_device(other, value, depth) for other, value in given
    )


def makes_device(module: Module, node: ast.expr) -> bool:
    """Whether it is `torch.device(...)`, or one of two such."""
    if isinstance(node, ast.IfExp):
        return makes_device(module, node.body) and makes_device(module, node.orelse)
    if isinstance(node, ast.Attribute) and node.attr == "device":  # next(self.parameters()).device
        first = node.value
        return isinstance(first, ast.Call) and written(first.func) == "next"
    return isinstance(node, ast.Call) and module.qualified(node.func) == "torch.device"


@rule(
    "TG324",
    "the sum of two comparisons is never 2",
    why="""`(a == 1) + (b == 1)` is True where one of them is: since torch 1.2 comparisons are
    boolean, and so is their sum. It equals 1 at most, so the count is always 0.""",
    remedy="write `(a == 1) & (b == 1)`",
    source="https://docs.pytorch.org/docs/stable/generated/torch.logical_and.html",
    bad="""
import torch


def sensitivity(predicted, target):
    hits = ((predicted == 1) + (target == 1)) == 2  # <--
    return torch.sum(hits) / torch.sum(target)
""",
    good="""
import torch


def sensitivity(predicted, target):
    hits = (predicted == 1) & (target == 1)
    return torch.sum(hits) / torch.sum(target)
""",
)
def never_two(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("sum", ()):
        scope = module.function(call)
        # a scalar has no sum, so that these are tensors or arrays
        given = argument(call, 0, "input") or receiver(call)
        if module.is_torch(call.func) or written(receiver(call) or call) in ("np", "numpy"):
            summed = given
        elif isinstance(call.func, ast.Attribute):
            summed = receiver(call)
        else:
            continue
        if summed is None:
            continue
        for value in [summed, *(module.value_in(summed, scope) if written(summed) else [])]:
            yield from (node for node in walk(value) if is_sum_of_two(node))


def is_sum_of_two(node: ast.AST) -> bool:
    """Whether it is `((a == x) + (b == y)) == 2`."""
    if not isinstance(node, ast.Compare) or not is_constant(node.comparators[0], 2):
        return False
    total = node.left
    return (
        len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq)
        and isinstance(total, ast.BinOp)
        and isinstance(total.op, ast.Add)
        and isinstance(total.left, ast.Compare)
        and isinstance(total.right, ast.Compare)
    )
