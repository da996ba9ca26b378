"""What torch took once, and refuses by now."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import FUNCTIONS, argument, is_constant, last_name, receiver, written
from .provided import is_for_a_release

FUNCTION = ("torch.autograd.Function", "torch.autograd.function.Function")


@rule(
    "TG815",
    "a custom autograd function needs static methods",
    why="""Since torch 1.5 an object whose `forward` is not a static method is rejected: its first
    call fails with a RuntimeError about a legacy autograd function. It is a hint where only its
    `forward` or `apply` is called, and where an older torch is pinned.""",
    remedy="make `forward(ctx, ...)` and `backward(ctx, ...)` static, and call `.apply`",
    source=f"{STABLE}/notes/extending.html",
    bad="""
from torch.autograd import Function


class Double(Function):  # <--
    def forward(self, x):
        return x * 2

    def backward(self, grad):
        return grad * 2
""",
    good="""
from torch.autograd import Function


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
""",
    once=True,
)
def legacy_function(module: Module) -> Iterator[Spot]:
    for node in module.classes:
        if not any(module.qualified(base) in FUNCTION for base in node.bases):
            continue
        forward = [one for one in node.body if isinstance(one, FUNCTIONS) and one.name == "forward"]
        made_static = any(written(one) == "forward" for one in assigned_in(node))
        if forward and not (forward[0].decorator_list or made_static):
            if is_for_a_release(module, node):
                continue
            old = module.project.stays_before_torch("1.5")
            yield Spot(node, unsure=old or is_called_by_hand(module, node))


def assigned_in(node: ast.ClassDef) -> list[ast.expr]:
    """What the body of a class gives a value: `forward = staticmethod(forward)`."""
    return [target for one in node.body if isinstance(one, ast.Assign) for target in one.targets]


def is_called_by_hand(module: Module, node: ast.ClassDef) -> bool:
    """Whether the project calls no object of a class, but its `forward`, or `apply` as is right."""
    made = module.project.callers.get(node.name, ())
    if not made:
        return any(
            last_name(one.value) == node.name
            for other in module.project.code
            for one in other.attributes
            if one.attr == "apply"
        )
    return all(is_given_by_hand(other, call) for other, call in made)


def is_given_by_hand(module: Module, made: ast.Call) -> bool:
    """Whether an object is never called: `Class().forward(...)`, or `detect.forward(...)`."""
    around = module.parents[made]
    if isinstance(around, ast.Assign):
        names = {last_name(one) for one in around.targets}
        calls = [call for other in module.project.code for call in other.calls.get("forward", ())]
        by_hand = any(last_name(receiver(call) or call) in names for call in calls)
        return by_hand and not any(
            name in other.calls for other in module.project.code for name in names
        )
    return isinstance(around, ast.Attribute) and around.attr in ("apply", "forward")


@rule(
    "TG814",
    "`view` fails on a slice of transposed predictions",
    why="""`correct[:k]` of a transposed tensor is not contiguous for `k` above 1. Torch 1.5 and
    older returned a contiguous one; since 1.7 top-5 accuracy fails with a RuntimeError. It is a
    hint where an older torch is pinned.""",
    remedy="write `correct[:k].reshape(-1)`",
    source=f"{STABLE}/generated/torch.Tensor.view.html",
    bad="""
def accuracy(output, target, topk=(1, 5)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum() for k in topk]  # <--
""",
    good="""
def accuracy(output, target, topk=(1, 5)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].reshape(-1).float().sum() for k in topk]
""",
)
def viewed_slice(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("view", ()):
        sliced = receiver(call)
        if not isinstance(sliced, ast.Subscript) or not isinstance(sliced.slice, ast.Slice):
            continue
        if sliced.slice.upper is None or is_constant(sliced.slice.upper, 1):
            continue
        scope = module.function(call)
        for value in module.value_in(sliced.value, scope):
            compared = compared_in(value)
            if compared is not None and any(
                is_transposed(one) for one in module.value_in(compared, scope)
            ):
                asked, old = asked_for(module, call), module.project.stays_before_torch("1.7")
                if not asked or not all(is_constant(one, 1) for one in asked):
                    yield Spot(call, unsure=old or bool(asked))


def compared_in(value: ast.expr) -> ast.expr | None:
    """What is compared with the targets: `pred` of `pred.eq(target)`, and of `pred == target`."""
    if isinstance(value, ast.Compare):
        return value.left if isinstance(value.ops[0], ast.Eq) else None
    calls_eq = isinstance(value, ast.Call) and last_name(value.func) == "eq"
    return receiver(value) if isinstance(value, ast.Call) and calls_eq else None


def asked_for(module: Module, call: ast.Call) -> list[ast.expr]:
    """The numbers of classes that the function takes, by default or for a caller, one at a time.

    Empty where they are not seen, or a caller asks for several.
    """
    function = module.function(call)
    if not isinstance(function, FUNCTIONS) or not function.args.defaults:
        return []
    calls = module.project.calls_of(module, function)
    given = [argument(one, 2, "topk") for _, one in calls]
    every = [function.args.defaults[-1], *(one for one in given if one is not None)]
    single = [
        one.elts[0] for one in every if isinstance(one, ast.Tuple | ast.List) and len(one.elts) == 1
    ]
    return single if len(single) == len(every) else []


def is_transposed(value: ast.expr) -> bool:
    """Whether it is `pred.t()`, and not made contiguous."""
    if isinstance(value, ast.Attribute):
        return value.attr == "T"
    name = last_name(value.func) if isinstance(value, ast.Call) else ""
    return name == "t" or (
        name == "transpose"
        and isinstance(value, ast.Call)
        and [getattr(one, "value", None) for one in value.args] in ([0, 1], [1, 0])
    )
