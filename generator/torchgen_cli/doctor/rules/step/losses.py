"""What becomes of the losses of a run."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    Loop,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    pairs,
    receiver,
    same,
    written,
)
from ..shared.loops import graph_losses, is_step, step_scopes

FAQ = f"{STABLE}/notes/faq.html"


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
        if not losses:
            continue
        for node in own_nodes(scope):
            target, value = kept_value(node)
            if target is None or value is None or not next(module.loops_around(node), None):
                continue
            names = {written(n) for n in bare_terms(value)}
            goal = written(target)
            if goal in losses or not names & losses or rebound(scope, names & losses, node):
                continue
            computed = (
                isinstance(node, ast.AugAssign | ast.Assign) or not names_kept(value) & losses
            )
            if starts_within(module, scope, target, node) or ends_with_step(module, target, node):
                continue
            if computed and under_no_grad(module, node):
                continue
            yield Spot(node, unsure=ends_soon(module, target, node))


def ends_with_step(module: Module, target: ast.expr, node: ast.AST) -> bool:
    """Whether the loop around is a part of a step, for which the sum is begun anew."""
    inner, *outer = module.loops_around(node)
    return (
        bool(outer)
        and not makes_steps(module, inner)
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


def kept_value(node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """(what keeps, what is kept) of `total += x`, `total = total + x` and `history.append(x)`."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return node.target, node.value
    if (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)
        and same(node.targets[0], node.value.left)
    ):
        return node.targets[0], node.value.right
    if isinstance(node, ast.Call) and last_name(node.func) == "append" and len(node.args) == 1:
        return receiver(node), node.args[0]
    return None, None


def names_kept(value: ast.expr) -> set[str]:
    """The names that a collection keeps as they are: `no_grad` does not drop their graphs."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):  # of dictionaries
        return names_kept(value.left) | names_kept(value.right)
    if isinstance(value, ast.Tuple | ast.List | ast.Dict):
        items = value.values if isinstance(value, ast.Dict) else value.elts
        return set().union(*map(names_kept, items))
    return {written(value)} if isinstance(value, ast.Name | ast.Attribute) else set()


def bare_terms(value: ast.expr) -> Iterator[ast.expr]:
    """The names in a sum, product or collection, without what is otherwise called or converted."""
    if isinstance(value, ast.BinOp):
        yield from bare_terms(value.left)
        yield from bare_terms(value.right)
    elif isinstance(value, ast.Call) and last_name(value.func) in ("stack", "cat") and value.args:
        yield from bare_terms(value.args[0])
    elif isinstance(value, ast.Tuple | ast.List | ast.Dict):
        for item in value.values if isinstance(value, ast.Dict) else value.elts:
            yield from bare_terms(item)
    elif isinstance(value, ast.Name | ast.Attribute):
        yield value


def rebound(scope: ast.AST, names: set[str], before: ast.AST) -> bool:
    """Whether the loss is made a plain number in between: `loss = loss.item()`."""
    return any(
        written(target) in names
        and isinstance(value, ast.Call)
        and mentions(value.func, "item", "detach", "float", "reduce", "gather", "cpu", "numpy")
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign)
        for target, value in pairs(node)
    )


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


def hot_loops(module: Module) -> Iterator[tuple[Loop, ast.AST]]:
    """The innermost loops that compute gradients: their body runs once for each step."""
    for scope in step_scopes(module):
        for call in own_calls(scope, "backward"):
            loop = next(module.loops_around(call), None)
            if loop is not None:
                yield loop, scope


@rule(
    "TG490",
    "each step waits for the device",
    why="""Reading a number from the device waits until all earlier work is done. If each step does
    so, the device idles while Python prepares the next one.""",
    remedy="read the losses only every few steps",
    source="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    bad="""
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.item()  # <--
    return total
""",
    good="""
def train(model, loader, optimizer, loss_of):
    losses = []
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return sum(loss.item() for loss in losses)
""",
    severity=Severity.HINT,
)
def waits_each_step(module: Module) -> Iterator[ast.AST | Spot]:
    for loop, scope in hot_loops(module):
        losses = graph_losses(scope)
        for call in own_calls(loop):
            condition = next((n for n in module.ancestors(call) if isinstance(n, ast.If)), None)
            if condition is not None and loop in module.ancestors(condition):
                continue
            name = last_name(call.func)
            read = name in ("item", "tolist") and not call.args
            shown = name == "print" and any(written(a) in losses for a in call.args)
            if read or shown or (name == "float" and call.args and written(call.args[0]) in losses):
                yield call
