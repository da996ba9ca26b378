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
    CLIPPING,
    call_of,
    name_of_call,
    step_scopes,
)

PASSES = re.compile(r"accum|subdivision", re.I)
# words of a number by which a loss may be divided for its passes
PLAIN = ("accum", "subdivision")
ANY = (*PLAIN, "scale", "weight", "norm", "world")


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
            order = [one for one in order if one[0] not in CLIPPING]
            for before, (name, statement), after in zip(order, order[1:], order[2:], strict=False):
                if (before[0], name, after[0]) != ("backward", "zero_grad", "step"):
                    continue
                step, zeroed = call_of(after[1]), receiver(call_of(statement))
                between = block[block.index(statement) + 1 : block.index(after[1])]
                scaled = len(step.args) == 1 and same(zeroed, step.args[0])
                given = any(gives_gradients(module, one) for one in between)
                if not given and (scaled or (same(zeroed, receiver(step)) and not step.args)):
                    yield statement


def gives_gradients(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement writes gradients, itself or in a function of the project."""
    return module.project.reaches(module, statement, writes_gradient, depth=2)


def writes_gradient(node: ast.AST) -> bool:
    """Whether it is `p.grad`, where something is put into it, or copied."""
    return isinstance(node, ast.Attribute) and node.attr == "grad"


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
    beside = [other for other in module.project.near(module) if other is not module]
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
                if any(divides_by_accumulation(m, (name_of(passes),)) for m in beside):
                    continue  # the loss comes from there
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


def sets_a_number(module: Module, node: ast.AST, divides: bool) -> bool:
    """Whether it is what a size of batches is set to, and so no loss; or a rate is raised to."""
    around = module.parents[node]
    while isinstance(around, ast.Call | ast.BinOp):  # int(size / passes)
        around = module.parents[around]
    if not isinstance(around, ast.Assign):
        return False
    name = name_of(around.targets[0])
    words = r"(^|_)batch_?size$" if divides else r"(^|_)(lr|rate|batch_?size)$"
    return re.search(words, name, re.I) is not None


def divides_by_accumulation(module: Module, words: tuple[str, ...] = ANY) -> bool:
    """Whether anything is divided by, or scaled with, the number of passes; or losses are sums."""
    for node in walk(module.tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
            if sets_a_number(module, node, isinstance(node.op, ast.Div)):
                continue
            divisor = node.right if isinstance(node, ast.BinOp) else node.value
            if isinstance(divisor, ast.Name):  # n = args.accumulation; loss / n
                named = module.value_in(divisor, module.function(node))
                if any(mentions(one, *PLAIN) for one in named):
                    return True
            if mentions(divisor, *words):
                return True
            factor = node.left if isinstance(node, ast.BinOp) else divisor
            shared = "accum" if words is ANY else words[0]
            if isinstance(node.op, ast.Mult) and mentions(factor, shared):
                return True
        if words is ANY and isinstance(node, ast.keyword) and is_constant(node.value, "sum"):
            return True
    return False
