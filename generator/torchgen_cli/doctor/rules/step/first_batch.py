"""Training that takes the first batch alone."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import FUNCTIONS, argument, last_name, mentions, own_calls, own_nodes, parameters
from ..shared.loops import is_backward

# functions that are meant to take one batch
TRIALS = re.compile(
    r"overfit|debug|dry|sanity|toy|profile|warm|find|try|check|test|demo|bench|first|one"
)


@rule(
    "TG430",
    "the loop over the batches ends after the first one",
    why="""The loop computes gradients, and ends with an unconditional `break` or `return`: all
    batches but the first are skipped. Such a line is often left over from debugging, or indented
    too far.""",
    remedy="move the line out of the loop",
    source="https://docs.python.org/3/reference/simple_stmts.html#the-break-statement",
    bad="""
def train(model, loader, optimizer, epochs, loss_of):
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            break  # <--
""",
    good="""
def train(model, loader, optimizer, epochs, loss_of):
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
)
def trains_on_the_first(module: Module) -> Iterator[ast.AST]:
    if "backward" not in module.calls:
        return
    for loop in module.loops:
        last = loop.body[-1]
        if not isinstance(loop, ast.For) or not isinstance(last, ast.Break | ast.Return):
            continue
        direct = any(is_backward(n) for one in loop.body for n in expression_of(one))
        goes_on = any(isinstance(n, ast.Continue | ast.Yield | ast.Try) for n in own_nodes(loop))
        scope = module.function(loop)
        tried = isinstance(scope, FUNCTIONS) and TRIALS.search(scope.name.lower())
        if not direct or goes_on or loop.orelse or tried:
            continue
        if is_cut_in_passes(loop) or (goes_through_a_loader(loop) and is_of_an_epoch(module, loop)):
            yield last


def expression_of(statement: ast.stmt) -> list[ast.AST]:
    """What a statement that is a call holds: `loss.backward()`, `trainer.backward(loss)`."""
    return [statement.value] if isinstance(statement, ast.Expr) else []


def is_cut_in_passes(loop: ast.For) -> bool:
    """Whether it goes through the parts of a batch: `range(0, len(batch), size)`."""
    call = loop.iter
    if not isinstance(call, ast.Call) or last_name(call.func) != "range":
        return False
    step = argument(call, 2, "step")
    return step is not None and mentions(step, "batch") and mentions(call.args[1], "batch")


def goes_through_a_loader(loop: ast.For) -> bool:
    """Whether it takes one batch of a loader after the other."""
    counted = bool(own_calls(loop.iter, "range", "count", "cycle", "islice"))
    counted = counted or (
        isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in ("range", "islice")
    )
    return not counted and mentions(loop.iter, "loader")


def is_of_an_epoch(module: Module, loop: ast.For) -> bool:
    """Whether the loop around it counts epochs, or its function trains for one."""
    around = next(module.loops_around(loop), None)
    if around is not None:
        return isinstance(around, ast.For) and mentions(around.target, "epoch")
    scope = module.function(loop)
    if not isinstance(scope, FUNCTIONS):
        return False
    return "epoch" in scope.name.lower() or "epoch" in parameters(scope)
