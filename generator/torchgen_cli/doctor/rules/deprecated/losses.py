"""Losses, and what else has no dimensions, of which an element is read."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import is_constant, last_name, own_calls, receiver, same, written

LOSS = re.compile(r"loss|criterion|entropy", re.I)
OF_A_PLOT = re.compile(r"_(curve|fig|hist|history|line|log|meter|plot|win|window)$", re.I)
MOVES = ("cpu", "float", "numpy")


def first_elements(module: Module) -> Iterator[tuple[ast.Attribute, ast.Subscript]]:
    """(`loss.data`, the whole) of what reads an element 0: `loss.data[0]`, `loss.data.cpu()[0]`."""
    for node in module.attributes:
        if node.attr != "data":
            continue
        around = module.parents[node]
        while isinstance(around, ast.Attribute) and around.attr in MOVES:
            call = module.parents[around]
            if not isinstance(call, ast.Call) or call.args or call.keywords:
                break
            around = module.parents[call]
        read = isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Load)
        if isinstance(around, ast.Subscript) and read and is_constant(around.slice, 0):
            yield node, around


def is_a_loss(module: Module, node: ast.expr) -> bool:
    """Whether it is called a loss, or has one element as `backward` asks, or as a sum has."""
    called = node.func if isinstance(node, ast.Call) else node
    name = last_name(called)
    if LOSS.search(name):
        return not OF_A_PLOT.search(name)
    if isinstance(node, ast.Call):
        return is_sum(module, node)
    scope = module.function(node)
    values = module.value_in(node, scope) if written(node) else []
    computed = bool(values) and all(isinstance(one, ast.Call | ast.BinOp) for one in values)
    backward = (one for one in own_calls(scope, "backward") if not one.args)
    return computed and any(same(receiver(one), node) for one in backward)


def is_sum(module: Module, call: ast.Call) -> bool:
    """Whether it sums up all of a tensor: `torch.sum(hits)`, `hits.sum()`."""
    if last_name(call.func) not in ("mean", "sum") or call.keywords:
        return False
    return len(call.args) == int(module.is_torch(call.func, "mean", "sum"))
