"""What becomes of the losses of a run."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    pairs,
    receiver,
    same,
    walk,
    written,
)
from ..shared.loops import graph_losses, is_step, step_scopes
from .kept_values import DROPPING, added, bare_terms, kept_value, names_kept, rebound
from .returned_losses import losses_taken

FAQ = f"{STABLE}/notes/faq.html"
# a loss, and no weight of one
LOSS = re.compile(r"(^|_)loss(_(?!(w|weight|scale|coef\w*|fac\w*|ratio)$)\w+)?$", re.I)


@rule(
    "TG408",
    "the sum of the losses keeps the graph of every step",
    why="""The loss holds the graph that computed it. A sum, or a list, of losses keeps the graphs
    of all steps alive, so memory grows with each step. It is a hint where the surrounding loop has
    no optimizer step.""",
    remedy="add `loss.detach()`, or `loss.item()`, which also waits for the device",
    source=FAQ,
    bad="""
def train(model, loader, optimizer, loss_of):
    total_loss = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total_loss += loss  # <--
    return total_loss
""",
    good="""
def train(model, loader, optimizer, loss_of):
    total_loss = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total_loss += loss.detach()
    return total_loss
""",
)
def kept_graph(module: Module) -> Iterator[Spot]:
    for scope in step_scopes(module):
        losses = graph_losses(scope)
        if losses:
            for node, target in kept(module, scope, losses | terms(scope, losses)):
                yield Spot(node, unsure=ends_soon(module, target, node))
    for other in module.project.near(module):
        for where, caller, name in losses_taken(other) if "backward" in other.calls else ():
            if where is module:
                found = [node for node, _ in kept(module, caller, {name})]
                yield from (Spot(node, unsure=is_now_and_then(module, node)) for node in found)


def is_now_and_then(module: Module, node: ast.AST) -> bool:
    """Whether one loss in many is kept: under `if step % 100 == 0`."""
    return any(
        isinstance(around, ast.If)
        and any(
            isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) for one in walk(around.test)
        )
        for around in module.ancestors(node)
    )


def kept(module: Module, scope: ast.AST, losses: set[str]) -> Iterator[tuple[ast.AST, ast.expr]]:
    """(where a loop keeps one of these losses, what keeps it)."""
    for node in own_nodes(scope):
        target, value = kept_value(node)
        if target is None or value is None or not next(module.loops_around(node), None):
            continue
        names = {written(n) for n in bare_terms(value)}
        if written(target) in losses or not names & losses or rebound(scope, names & losses, node):
            continue
        computed = isinstance(node, ast.AugAssign | ast.Assign) or not names_kept(value) & losses
        if starts_within(module, scope, target, node) or ends_with_step(module, target, node):
            continue
        if not (computed and under_no_grad(module, node)) and not is_cut(module, scope, target):
            yield node, target


def ends_with_step(module: Module, target: ast.expr, node: ast.AST) -> bool:
    """Whether the loop around is a part of a step, for which the sum is begun anew."""
    inner, *outer = module.loops_around(node)
    # a network each, with an optimizer of its own
    several = isinstance(inner, ast.For) and mentions(inner.iter, "optim")
    return (
        bool(outer)
        and (several or not makes_steps(module, inner))
        and makes_steps(module, outer[0])
        and any(
            isinstance(one, ast.Assign) and same(one.targets[0], target)
            for one in own_nodes(outer[0])
            if inner not in module.ancestors(one)
        )
    )


def makes_steps(module: Module, loop: ast.AST) -> bool:
    """Whether an optimizer steps in a loop."""
    return any(is_step(module, call) for call in own_calls(loop, "step"))


def ends_soon(module: Module, target: ast.expr, node: ast.AST) -> bool:
    """Whether the graphs of a few passes alone are kept, or those of a list that is computed on."""
    stacked = own_calls(module.function(node), "stack")
    if any(call.args and same(call.args[0], target) for call in stacked):
        return True
    inner, *outer = module.loops_around(node)
    if not makes_steps(module, inner):
        return True
    if not isinstance(inner, ast.For) or not isinstance(inner.iter, ast.Call) or not outer:
        return False
    if last_name(inner.iter.func) != "range" or (
        mentions(inner.iter, "epoch", "len", "batch") and not mentions(inner.iter, "chunk")
    ):
        return False
    return "backward" in map(last_name, [c.func for c in own_calls(inner)]) and any(
        isinstance(s, ast.Assign) and written(s.targets[0]) == written(target)
        for s in own_nodes(outer[0])
    )


def terms(scope: ast.AST, losses: set[str]) -> set[str]:
    """The losses of which those are sums: `kl_loss`, of `loss = recon + kl_loss`."""
    found: set[str] = set()
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign) and written(node.targets[0]) in losses:
            found |= {written(one) for one in added(node.value)}
    computed = {
        written(target)
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign)
        for target, value in pairs(node)
        if isinstance(value, ast.Call) and not mentions(value.func, *DROPPING)
    }
    return {name for name in found & computed if LOSS.search(name)}


def is_cut(module: Module, scope: ast.AST, target: ast.expr) -> bool:
    """Whether a collection drops what it held before: it is a `deque(maxlen=9)`, or popped."""
    made = [
        value
        for value in module.value_in(target, scope)
        if isinstance(value, ast.Call) and keyword(value, "maxlen") is not None
    ]
    cut = (call for call in own_calls(scope, "pop", "popleft", "clear"))
    return bool(made) or any(same(receiver(call), target) for call in cut)


def starts_within(module: Module, scope: ast.AST, target: ast.expr, node: ast.AST) -> bool:
    """Whether what keeps is new in each pass, so that no graph outlives it, or is a loss itself."""
    while isinstance(target, ast.Subscript):
        target = target.value
    innermost = next(module.loops_around(node))
    fresh = (
        written(s.targets[0]) == written(target) and not isinstance(s.value, ast.BinOp)
        for s in own_nodes(innermost)
        if isinstance(s, ast.Assign)
    )
    return not written(target) or any(fresh)


def under_no_grad(module: Module, node: ast.AST) -> bool:
    """Whether a `with torch.no_grad()` is around."""
    return any(
        isinstance(around, ast.With)
        and any(mentions(item.context_expr, "no_grad", "inference_mode") for item in around.items)
        for around in module.ancestors(node)
    )
