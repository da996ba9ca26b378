"""Which tensors are on the device that a program chose, as far as functions and calls tell."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    last_name,
    own_nodes,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from ..step.scaling import apart
from .cpu_path import asks_for_gpu
from .gpu_calls import goes_to_the_device, is_call

DEPTH = 16  # steps: names, and calls of functions
# methods whose result is where the tensor is
STAYING = {"abs", "argmax", "argsort", "clamp", "clone", "contiguous", "detach", "double", "eq"}
STAYING |= {"exp", "expand", "expand_as", "flatten", "float", "ge", "gt", "index_select", "int"}
STAYING |= {"le", "log", "long", "lt", "max", "mean", "min", "ne", "nonzero", "permute", "pow"}
STAYING |= {
    "reciprocal",
    "reshape",
    "round",
    "sigmoid",
    "softmax",
    "sort",
    "sqrt",
    "squeeze",
    "sum",
}
STAYING |= {"t", "topk", "transpose", "type_as", "unsqueeze", "view"}
MODEL = re.compile(r"(^|_)(model|net|network|encoder|decoder|generator|criterion)$", re.I)
PAIRS = ("max", "min", "sort", "topk")  # which return values and places
ELSEWHERE = {"as_tensor", "cpu", "from_numpy", "is_tensor", "numel", "save", "size", "tensor"}


@dataclass(frozen=True)
class Scope:
    """A function with its file, and what is known of its arguments."""

    module: Module
    function: ast.AST
    arguments: dict[str, bool] = field(default_factory=dict)
    """Whether an argument is on the device."""


def on_device(scope: Scope, node: ast.AST, depth: int = DEPTH) -> bool:
    """Whether a value is certainly a tensor on the device that was chosen."""
    if depth <= 0:
        return False
    if isinstance(node, ast.Name):
        return is_named_on_device(scope, node, depth - 1)
    if isinstance(node, ast.Call):
        return is_result_on_device(scope, node, depth)
    return any(on_device(scope, one, depth) for one in operands(node))


def operands(node: ast.AST) -> list[ast.expr]:
    """The parts of an expression, one of which on the device puts the value there."""
    if isinstance(node, ast.Subscript) or (
        isinstance(node, ast.Attribute) and node.attr in ("data", "T")
    ):
        return [node.value]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        of_elements = not isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn)
        return [node.left, *node.comparators] if of_elements else []
    return [node.operand] if isinstance(node, ast.UnaryOp) else []


def is_result_on_device(scope: Scope, call: ast.Call, depth: int) -> bool:
    """Whether what a call returns is on the device."""
    module, owner, name = scope.module, receiver(call), last_name(call.func)
    if is_moved(module, call):
        return is_put_on_device(scope, call, depth)
    if module.is_torch(call.func):
        given = [one for one in call.args if not isinstance(one, ast.Starred)]
        return name not in ELSEWHERE and any(on_device(scope, one, depth) for one in given)
    if owner is not None and name in STAYING:
        return on_device(scope, owner, depth)
    if MODEL.search(name):
        return any(on_device(scope, one, depth) for one in call.args)
    return is_returned_on_device(scope, call, None, depth)


def is_moved(module: Module, node: ast.AST) -> bool:
    """Whether it moves a tensor where the program chose: `.to(device)`, or `.cuda()` under `if`."""
    if is_call(node, "cuda"):
        return receiver(node) is not None and is_under_choice(module, node)
    if not goes_to_the_device(module, node):
        return False
    return "cpu" not in ast.unparse(node)


def is_put_on_device(scope: Scope, moved: ast.AST | None, depth: int) -> bool:
    """Whether `x.to(device)` is for the program's device, or for that of a tensor which is there.

    A parameter is a tensor if the function uses it as one: `device = y.device; y.unsqueeze(0)`.
    """
    given = argument(moved, 0, "device") if isinstance(moved, ast.Call) else None
    values = scope.module.value_in(given, scope.function) if isinstance(given, ast.Name) else []
    one = values[0] if len(values) == 1 else given
    if not isinstance(one, ast.Attribute) or one.attr != "device":
        return True
    like = one.value
    used = {
        node.attr
        for node in own_nodes(scope.function)
        if isinstance(node, ast.Attribute) and same(node.value, like)
    }
    taken = isinstance(like, ast.Name) and like.id in scope.arguments
    return not taken or used.isdisjoint(STAYING | {"shape"}) or on_device(scope, like, depth - 1)


def is_under_choice(module: Module, node: ast.AST) -> bool:
    """Whether a condition around a place asks for a GPU."""
    return any(
        isinstance(around, ast.If | ast.IfExp) and asks_for_gpu(module, around)
        for around in module.ancestors(node)
    )


def is_named_on_device(scope: Scope, name: ast.Name, depth: int) -> bool:
    """Whether the value that a name has at a place is on the device."""
    module = scope.module
    if is_of_comprehension(module, name):
        return False
    found = [one for one in bindings(scope.function, name.id) if ends_before(module, one, name)]
    found = [one for one in found if not apart(module, one, name)]
    if not found:
        return scope.arguments.get(name.id, False)
    last = max(found, key=lambda one: getattr(one, "lineno", 0))
    around = set(module.ancestors(name))
    if module.parents[last] in around or isinstance(last, ast.For):
        return gives(scope, last, name.id, depth)
    value = last.value if isinstance(last, ast.Assign) else None
    moved = value is not None and is_moved(module, value)
    return (moved and is_put_on_device(scope, value, depth)) or all(
        gives(scope, one, name.id, depth) for one in found
    )


def ends_before(module: Module, binding: ast.AST, name: ast.Name) -> bool:
    """Whether a name has got its value before a place: a loop gives it one inside of it alone."""
    if isinstance(binding, ast.For):
        return binding in module.ancestors(name)
    return (getattr(binding, "end_lineno", 0) or 0) < name.lineno


def bindings(function: ast.AST, name: str) -> Iterator[ast.Assign | ast.For]:
    """The assignments and the loops that give a name its value."""
    for node in own_nodes(function):
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.For) else targets
        if isinstance(node, ast.Assign | ast.For) and any(
            isinstance(one, ast.Name) and one.id == name for part in targets for one in walk(part)
        ):
            yield node


def gives(scope: Scope, binding: ast.Assign | ast.For, name: str, depth: int) -> bool:
    """Whether an assignment gives a name a tensor on the device; a loop may give it anything."""
    if isinstance(binding, ast.For):
        return False
    target, value = binding.targets[0], binding.value
    if isinstance(target, ast.Name):
        return on_device(scope, value, depth)
    parts = target.elts if isinstance(target, ast.Tuple) else []
    place = next((k for k, one in enumerate(parts) if written(one) == name), None)
    if place is None:
        return False
    if isinstance(value, ast.Call) and last_name(value.func) not in PAIRS:
        return is_returned_on_device(scope, value, place, depth)
    values = value.elts if isinstance(value, ast.Tuple) else [value] * len(parts)
    return place < len(values) and on_device(scope, values[place], depth)


def is_returned_on_device(scope: Scope, call: ast.Call, place: int | None, depth: int) -> bool:
    """Whether a function of the project returns a tensor on the device, or as part of a tuple."""
    found = scope.module.project.resolve(scope.module, call)
    if len(found) != 1 or has_stars(call) or depth <= 0:
        return False
    other, function = found[0]
    inner = Scope(other, function, given_there(scope, function, call, depth))
    returned: list[ast.expr | None] = [
        one.value for one in own_nodes(function) if isinstance(one, ast.Return)
    ]
    if place is not None:
        parts = [one.elts if isinstance(one, ast.Tuple) else [] for one in returned]
        returned = [one[place] if place < len(one) else None for one in parts]
    return bool(returned) and all(
        one is not None and on_device(inner, one, depth - 1) for one in returned
    )


def given_there(scope: Scope, function: Function, call: ast.Call, depth: int) -> dict[str, bool]:
    """Which parameters of a function a call gives tensors on the device."""
    found = {}
    for place, name in enumerate(parameters(function)):
        given = argument(call, place, name)
        found[name] = given is not None and on_device(scope, given, depth - 1)
    return found


def is_of_comprehension(module: Module, name: ast.Name) -> bool:
    """Whether a name is the variable of a comprehension or a lambda around it."""
    for around in module.ancestors(name):
        if isinstance(around, FUNCTIONS):
            return False
        parts = [one.target for one in getattr(around, "generators", ())]
        own = {one.id for part in parts for one in walk(part) if isinstance(one, ast.Name)}
        if isinstance(around, ast.Lambda):
            own = {one.arg for one in around.args.args}
        if name.id in own:
            return True
    return False
