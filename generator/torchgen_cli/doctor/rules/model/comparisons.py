"""Comparisons whose sum is never 2."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import argument, is_constant, receiver, walk, written


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
