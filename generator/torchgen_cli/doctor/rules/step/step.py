"""The optimizer step: gradients set to zero, added up, clipped."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    blocks,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
)
from ..shared.loops import (
    AMP_DOCS,
    call_of,
    name_of_call,
    optimizer_steps,
    scaled_steps,
    step_scopes,
)

PASSES = re.compile(r"accum|subdivision", re.I)


@rule(
    "TG401",
    "gradients are never set to zero",
    why="`backward` adds to the existing gradients: each step uses the sum of all before it.",
    remedy="call `optimizer.zero_grad()` once per step",
    source=f"{STABLE}/generated/torch.optim.Optimizer.zero_grad.html",
    bad="""
def train(model, loader, optimizer, loss_of):
    for batch in loader:
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()  # <--
""",
    good="""
def train(model, loader, optimizer, loss_of):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
""",
)
def no_zero_grad(module: Module) -> Iterator[ast.AST]:
    if module.project.has_framework(module):
        return
    for scope in step_scopes(module):
        steps = [
            s
            for s in optimizer_steps(module, scope) + scaled_steps(module, scope)
            if any(own_calls(loop, "backward") for loop in module.loops_around(s))
        ]
        around = module.class_of(scope) or scope
        if not steps and own_calls(
            scope, "backward"
        ):  # a step of its own, made by a loop elsewhere
            alone = optimizer_steps(module, scope) + scaled_steps(module, scope)
            steps = alone if called_without_zeroes(module, scope) else []
        if steps and not module.project.reaches(module, around, zeroes):
            yield steps[0]


def called_without_zeroes(module: Module, scope: ast.AST) -> bool:
    """Whether a function is called, and nobody on the way to it sets gradients to zero."""
    seen: set[ast.AST] = {scope}
    pending = [(module, scope)]
    for where, around in pending:  # it grows
        for other, call in where.project.calls_of(where, around):
            caller = other.function(call)
            if caller not in seen:
                if sets_to_zero(other, caller):
                    return False
                seen.add(caller)
                pending.append((other, caller))
    return len(seen) > 1


def sets_to_zero(module: Module, function: ast.AST) -> bool:
    """Whether a function sets gradients to zero, or calls a method of an optimizer that does."""
    methods = [
        method
        for call in own_calls(function)
        if "optim" in last_name(receiver(call) or call).lower()
        for _, method in module.project.resolve(module, call)
    ]
    return any(zeroes(node) for scope in (function, *methods) for node in walk(scope))


def zeroes(node: ast.AST) -> bool:
    """Whether it may set gradients to zero."""
    if isinstance(node, ast.Attribute):
        return node.attr == "zero_grad" or (
            node.attr == "grad" and isinstance(node.ctx, ast.Store | ast.Del)
        )
    if not isinstance(node, ast.Call) or last_name(node.func) != "zero_":
        return False
    owner = receiver(node)
    return owner is not None and last_name(owner) == "grad"


@rule(
    "TG402",
    "the gradients are set to zero before the step can use them",
    why="They are zeroed between `backward` and `step`: the step sees only zeros.",
    remedy="call `zero_grad()` before `backward()`, or after `step()`",
    source=f"{STABLE}/optim.html",
    bad="""
def train_step(loss, optimizer):
    loss.backward()
    optimizer.zero_grad()  # <--
    optimizer.step()
""",
    good="""
def train_step(loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
)
def zeroed_too_early(module: Module) -> Iterator[ast.AST]:
    for scope in step_scopes(module):
        for block in blocks(scope):
            order = [(name_of_call(s), s) for s in block if name_of_call(s)]
            names = [name for name, _ in order]
            for place, (name, statement) in enumerate(order):
                if name != "zero_grad" or not names[:place] or names[place - 1] != "backward":
                    continue
                zeroed = receiver(call_of(statement))
                step = order[place + 1][1] if place + 1 < len(order) else None
                if step is not None and names[place + 1] == "step":
                    stepped = receiver(call_of(step))
                    if same(zeroed, stepped) and not call_of(step).args:
                        yield statement


@rule(
    "TG407",
    "accumulated gradients are summed, not averaged",
    why="""`backward` adds up. Over N passes the gradient is N times that of one large batch, so the
    same learning rate makes steps that are N times as long. It is a hint unless an optimizer is
    found that depends on the size of a gradient, as SGD does and Adam does not.""",
    remedy="divide the loss by the number of passes before `backward()`",
    source=AMP_DOCS,
    bad="""
import torch


def train(model, loader, loss_of, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number, batch in enumerate(loader):
        loss = loss_of(model, batch)
        loss.backward()  # <--
        if (number + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    good="""
import torch


def train(model, loader, loss_of, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number, batch in enumerate(loader):
        loss = loss_of(model, batch) / accumulation_steps
        loss.backward()
        if (number + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
)
def undivided_loss(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module) or not PASSES.search(
        module.project.contents[module.name].decode("utf-8", "replace")
    ):
        return
    if divides_by_accumulation(module):
        return
    as_it_is = any("SGD" in other.calls for other in module.project.near(module))
    for scope in step_scopes(module):
        for loop in (n for n in own_nodes(scope) if isinstance(n, ast.For)):
            for condition in (n for n in own_nodes(loop) if isinstance(n, ast.If)):
                passes = modulus(condition.test)
                if passes is None or not PASSES.search(name_of(passes)):
                    continue
                stepped = [c for s in condition.body for c in own_calls(s, "step")]
                inside = [c for s in condition.body for c in own_calls(s, "backward")]
                if not stepped or inside:
                    continue
                yield from (
                    Spot(call, unsure=not as_it_is) for call in own_calls(loop, "backward")[:1]
                )


def name_of(node: ast.expr) -> str:
    """What a number is called: of `hparams["subdivisions"]` the key."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return last_name(node)


def modulus(test: ast.expr) -> ast.expr | None:
    """N of a condition that holds each N-th time: `(i + 1) % N == 0`, `not i % N`."""
    for node in walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return node.right
    return None


def sets_a_number(module: Module, node: ast.AST) -> bool:
    """Whether it is what a rate or a size of batches is set to, and so no loss."""
    around = module.parents[node]
    while isinstance(around, ast.Call | ast.BinOp):  # int(size / passes)
        around = module.parents[around]
    if not isinstance(around, ast.Assign):
        return False
    return re.search(r"(^|_)(lr|rate|batch_?size)$", name_of(around.targets[0]), re.I) is not None


def divides_by_accumulation(module: Module) -> bool:
    """Whether anything is divided by, or scaled with, the number of passes; or losses are sums."""
    for node in walk(module.tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
            if sets_a_number(module, node):
                continue
            divisor = node.right if isinstance(node, ast.BinOp) else node.value
            if mentions(divisor, "accum", "scale", "weight", "norm", "world", "subdivision"):
                return True
            if isinstance(node, ast.BinOp) and mentions(node.left, "accum"):
                return True
        if isinstance(node, ast.keyword) and is_constant(node.value, "sum"):
            return True
    return False
