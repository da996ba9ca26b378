"""Steps that fail, and nobody hears of it."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import last_name, mentions, own_calls, walk
from ..checkpoint.swallowed import swallowing
from ..shared.loops import optimizer_steps, scaled_steps


@rule(
    "TG413",
    "a failing training step is skipped",
    why="""The handler catches every error: a shape mismatch, a failing kernel or a damaged file.
    The run continues with fewer samples, perhaps with none, and looks fine.""",
    remedy="catch only the expected error, or let it end the run",
    source="https://docs.python.org/3/tutorial/errors.html#handling-exceptions",
    bad="""
def train(model, loader, optimizer, loss_of):
    for batch in loader:
        try:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        except Exception as error:  # <--
            print(error)
            continue
""",
    good="""
def train(model, loader, optimizer, loss_of):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
""",
    severity=Severity.WARNING,
)
def passed_over(module: Module) -> Iterator[ast.AST]:
    told: set[ast.AST] = set()
    for call in module.calls.get("backward", ()):
        handler = swallowing(module, call)
        if handler is None or handler in told or mentions(handler, "memory", "oom"):
            continue
        told.add(handler)
        leaves = any(isinstance(node, ast.Break | ast.Return) for node in walk(handler))
        loop = next(module.loops_around(handler), None)
        steps = loop is not None and optimizer_steps(module, loop) + scaled_steps(module, loop)
        if steps and not leaves and not tells_later(module, handler):
            yield handler


def tells_later(module: Module, handler: ast.ExceptHandler) -> bool:
    """Whether a handler keeps the error, ends the run in a function, or opens a debugger."""
    kept = any(
        isinstance(node, ast.Assign) and last_name(node.value) == handler.name
        for node in walk(handler)
        if handler.name
    )
    ends = any(
        module.project.reaches(other, function, is_end, depth=1)
        for call in own_calls(handler)
        for other, function in module.project.resolve(module, call)
    )
    return kept or ends or mentions(handler, "pdb", "breakpoint", "embed")


def is_end(node: ast.AST) -> bool:
    """Whether it ends the run."""
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Call) and last_name(node.func) in ("exit", "_exit", "abort")
    )
