"""How far a run goes, and at which rate."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import (
    Function,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    same,
    walk,
    written,
)
from ..shared.flag_readers import flag_names
from ..shared.loops import is_backward, is_rate

# what is done once, when a run goes on
ONCE = re.compile(r"resume|restore|load", re.I)
EPOCHS = re.compile(r"^(n|num|nb|max|total)?_?epochs?(_num|_count)?$", re.I)


@rule(
    "TG419",
    "the decay is applied to a rate that has already decayed",
    why="""The factor is that of the whole run so far, `rate ** (epoch // n)`, but it multiplies the
    previous epoch's rate: after the first drop the rate falls in every epoch.""",
    remedy="multiply the initial rate, `lr * rate ** (epoch // n)`, or use StepLR",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.StepLR.html",
    bad="""
def adjust(optimizer, epoch, rate=0.1, every=30):
    decay = rate ** (epoch // every)
    for group in optimizer.param_groups:
        group["lr"] *= decay  # <--
""",
    good="""
def adjust(optimizer, first, epoch, rate=0.1, every=30):
    decay = rate ** (epoch // every)
    for group in optimizer.param_groups:
        group["lr"] = first * decay
""",
)
def compounded(module: Module) -> Iterator[ast.AST]:
    for function in module.functions:
        for node in own_nodes(function):
            for factor in multiplied(node):
                values = [factor, *module.value_in(factor, function)]
                powers = (is_power_of_epochs(one) for value in values for one in walk(value))
                if any(powers) and not begins_anew(module, function, node):
                    yield node


def begins_anew(module: Module, function: Function, node: ast.AST) -> bool:
    """Whether the rate is set before it is multiplied, or a function runs once, to go on."""
    if ONCE.search(function.name):
        return True
    return any(
        isinstance(one, ast.Assign)
        and is_rate(one.targets[0])
        and not multiplied(one)
        and one.lineno < getattr(node, "lineno", 0)
        for one in own_nodes(function)
    )


def multiplied(node: ast.AST) -> list[ast.expr]:
    """By what a learning rate is multiplied in place."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Mult) and is_rate(node.target):
        return [node.value]
    if (
        isinstance(node, ast.Assign)
        and is_rate(node.targets[0])
        and isinstance(node.value, ast.BinOp)
    ):
        value = node.value
        if isinstance(value.op, ast.Mult):
            if ast.unparse(value.left) == ast.unparse(node.targets[0]):
                return [value.right]
            if ast.unparse(value.right) == ast.unparse(node.targets[0]):
                return [value.left]
    return []


def is_power_of_epochs(node: ast.AST) -> bool:
    """Whether it is `rate ** (epoch // n)`."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and isinstance(node.right, ast.BinOp)
        and isinstance(node.right.op, ast.FloorDiv)
        and mentions(node.right.left, "epoch")
    )


@rule(
    "TG420",
    "the run has one epoch fewer than requested",
    why="""`range(1, epochs)` stops before `epochs`: the last epoch, and what is done only in it,
    such as the last checkpoint, is missing.""",
    remedy="write `range(1, epochs + 1)`",
    source="https://docs.python.org/3/library/stdtypes.html#range",
    bad="""
def fit(model, loader, optimizer, loss_of, epochs):
    for epoch in range(1, epochs):  # <--
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    good="""
def fit(model, loader, optimizer, loss_of, epochs):
    for epoch in range(1, epochs + 1):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    severity=Severity.WARNING,
)
def one_epoch_less(module: Module) -> Iterator[ast.AST]:
    for loop in module.loops:
        if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
            continue
        call = loop.iter
        if call.args and isinstance(call.args[0], ast.Call) and last_name(call.func) == "tqdm":
            call = call.args[0]
        if last_name(call.func) not in ("range", "trange") or len(call.args) != 2:
            continue
        first, end = call.args
        if not is_constant(first, 1) or not EPOCHS.match(last_name(end)):
            continue
        raised = any(
            isinstance(one, ast.BinOp) for one in module.value_in(end, module.function(loop))
        )
        trains = module.project.reaches(module, loop, is_backward, depth=2)
        if trains and not raised and not counts_otherwise(module, loop, end):
            yield loop


def counts_otherwise(module: Module, loop: ast.For, end: ast.expr) -> bool:
    """Whether the end is one more than the epochs, or the first epoch is before the loop."""
    function = module.function(loop)
    if any(isinstance(n, ast.AugAssign) and same(n.target, end) for n in own_nodes(function)):
        return True
    if has_epoch_0(module, loop):
        return True
    given = [
        one
        for other, call in module.project.calls_of(module, function)
        for one in (*call.args, *(k.value for k in call.keywords))
    ]
    if any(isinstance(one, ast.BinOp) and mentions(one, "epoch") for one in given):
        return True
    defaults = [
        default.value
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
        if last_name(end) in flag_names(call)
        and isinstance(default := keyword(call, "default"), ast.Constant)
    ]
    if any(isinstance(one, int) and one > 1 and one % 10 == 1 for one in defaults):
        return True
    inside = {last_name(c.func) for c in own_calls(loop) if trains_in(module, c)}
    first = (c for c in own_calls(function) if c.lineno < loop.lineno and trains_in(module, c))
    return any(last_name(call.func) in inside for call in first)


def has_epoch_0(module: Module, loop: ast.For) -> bool:
    """Whether something is done before the loop as epoch 0: `epoch = 0`, which is read there."""
    function = module.function(loop)
    before = [
        one
        for one in own_nodes(function)
        if isinstance(one, ast.Name) and same(one, loop.target) and one.lineno < loop.lineno
    ]
    read = any(isinstance(one.ctx, ast.Load) for one in before)
    first = [one.value for one in module.assigned.get(written(loop.target), ())]
    return read and any(is_constant(one, 0) and module.function(one) is function for one in first)


def trains_in(module: Module, call: ast.Call) -> bool:
    """Whether a call computes gradients."""
    return any(
        module.project.reaches(other, function, is_backward, depth=2)
        for other, function in module.project.resolve(module, call)
    )
