"""Devices that are compared with texts."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_text,
    last_name,
    own_nodes,
    parameters,
    same,
    walk,
    written,
)
from ..shared.states import takes

TENSORS = "https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device"

# what only tells something, or seeds the GPUs, which `torch.manual_seed` does too
OF_LITTLE_EFFECT = {"debug", "info", "manual_seed", "manual_seed_all", "print", "warning"}


@rule(
    "TG322",
    "a `torch.device` never equals a string",
    why="""`torch.device("cuda") == "cuda"` is False, and `!=` is True: the branch for this device
    is never taken, or always. It is a hint where the branch only tells something.""",
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
def device_as_text(module: Module) -> Iterator[Spot]:
    if b"device" not in module.project.contents[module.name]:
        return  # for the sake of speed
    for node in module.parents:
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        sides = [node.left, node.comparators[0]]
        for one, other in (sides, sides[::-1]):
            text = is_compared_text(node.ops[0], other)
            if text and is_device(module, one) and not is_asked_otherwise(module, node, one):
                yield Spot(node, unsure=changes_little(module, node))


def is_compared_text(operator: ast.cmpop, other: ast.expr) -> bool:
    """Whether something is compared with a text, or looked for among texts."""
    if isinstance(operator, ast.In | ast.NotIn):
        several = other.elts if isinstance(other, ast.List | ast.Set | ast.Tuple) else []
        return bool(several) and all(is_text(one) for one in several)
    return isinstance(operator, ast.Eq | ast.NotEq) and is_text(other)


def changes_little(module: Module, node: ast.Compare) -> bool:
    """Whether the branches only tell something, or seed the GPU, as `manual_seed` does anyhow."""
    statement = module.statement(node)
    if not isinstance(statement, ast.If) or statement.test is not node:
        return False
    return all(
        isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and last_name(one.value.func) in OF_LITTLE_EFFECT
        for one in (*statement.body, *statement.orelse)
    )


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
        if is_loop_variable(scope, node.id):
            return False
        if isinstance(scope, FUNCTIONS) and takes(scope, node.id):
            return not values and depth > 0 and given_a_device(module, scope, node.id, depth - 1)
        values = values or [
            one.value
            for one in module.assigned.get(node.id, ())
            if module.function(one) is module.tree
        ]
    elif module.class_of(node):
        values = module.value_in(node, module.tree)
    else:
        return is_set_to_device(module, node, depth)
    return bool(values) and all(makes_device(module, value) for value in values)


def is_loop_variable(scope: ast.AST, name: str) -> bool:
    """Whether a loop of a function gives a name its values."""
    return any(
        isinstance(one, ast.Name) and one.id == name
        for loop in own_nodes(scope)
        if isinstance(loop, ast.For | ast.comprehension)
        for one in walk(loop.target)
    )


def is_set_to_device(module: Module, node: ast.expr, depth: int) -> bool:
    """Whether the function itself gives `args.device` a `torch.device` before."""
    scope = module.function(node)
    before = [
        one
        for one in module.assigned.get(written(node), ())
        if module.function(one) is scope and one.lineno < node.lineno
    ]
    sure = max((one.lineno for one in before if module.parents[one] is scope), default=0)
    before = [one for one in before if sure and one.lineno >= sure]
    return bool(before) and all(
        makes_device(module, one.value)
        or (depth > 0 and isinstance(one.value, ast.Name) and is_device(module, one.value, depth))
        for one in before
    )


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
