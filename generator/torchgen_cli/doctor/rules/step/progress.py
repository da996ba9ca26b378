"""How far a run goes, and at which rate."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    walk,
)
from ..checkpoint.in_place import is_setting
from ..shared.loops import OPTIMIZERS, is_backward, is_rate

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
                if any(is_power_of_epochs(one) for value in values for one in walk(value)):
                    yield node


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
        if trains and not raised:
            yield loop


@rule(
    "TG421",
    "this optimizer ignores the learning-rate flag",
    why="""One branch creates the optimizer from the flags, the other from hard-coded numbers: with
    the other optimizer `--lr` has no effect, though it is logged.""",
    remedy="give both the same settings",
    source=f"{STABLE}/optim.html",
    bad="""
import torch


def build(model, args):
    if args.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)  # <--
    return optimizer
""",
    good="""
import torch


def build(model, args):
    if args.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    return optimizer
""",
    severity=Severity.WARNING,
)
def deaf(module: Module) -> Iterator[Spot]:
    for node in walk(module.tree) if any(module.torch_calls(*OPTIMIZERS)) else ():
        if not isinstance(node, ast.If) or not node.orelse or only_some_may_come(module, node):
            continue
        sides = [
            [c for s in block for c in own_calls(s) if module.is_torch(c.func, *OPTIMIZERS)]
            for block in (node.body, node.orelse)
        ]
        if [len(side) for side in sides] != [1, 1]:
            continue
        for one, other in (sides, sides[::-1]):
            asked, fixed = keyword(one[0], "lr"), keyword(other[0], "lr")
            if asked is not None and is_setting(asked) and isinstance(fixed, ast.Constant):
                yield Spot(other[0])


def only_some_may_come(module: Module, node: ast.If) -> bool:
    """Whether the function asserts which values there are, so that the last branch may be none."""
    return any(
        isinstance(one, ast.Assert)
        and isinstance(one.test, ast.Compare)
        and isinstance(one.test.ops[0], ast.In)
        for one in own_nodes(module.function(node))
    )
