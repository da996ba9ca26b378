"""Checkpoints that cannot be read, and nobody is told."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import last_name, own_calls, receiver, walk, written
from ..shared.loops import is_optimizer

WORDS = ("print", "warn", "warning", "info", "error", "exception", "critical", "log")
LOADING = re.compile(r"(load|restore|resume).*(checkpoint|ckpt|state|model|snapshot)|^resume", re.I)


@rule(
    "TG607",
    "the run silently starts over if its checkpoint cannot be read",
    why="""The handler treats every error as a missing file. A truncated file, a renamed layer or a
    full disk then costs the whole run, as the new one soon overwrites the old checkpoints.""",
    remedy="check whether the file exists, and let every other error end the run",
    source="https://docs.python.org/3/tutorial/errors.html#handling-exceptions",
    bad="""
import torch


def resume(model, optimizer, path):
    try:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return state["epoch"]
    except Exception:  # <--
        return 0
""",
    good="""
import torch


def resume(model, optimizer, path):
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"]
""",
    severity=Severity.WARNING,
)
def swallowed_load(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("load_state_dict", []) + loading_calls(module):
        handler = swallowing(module, call)
        if handler is None:
            continue
        if begins_at_zero(handler):  # and says so, where it does, of a file that is there
            yield handler
            continue
        if any(last_name(c.func) in WORDS for c in own_calls(handler)):
            continue
        if is_optimizer(module, receiver(call)) or any(
            isinstance(node, ast.Call)
            and last_name(node.func) == "load_state_dict"
            and is_optimizer(module, receiver(node))
            for node in module.project.reached(module, call, 1)
        ):
            yield handler


def begins_at_zero(handler: ast.ExceptHandler) -> bool:
    """Whether a handler sets the first epoch to the beginning."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and node.value.value in (0, 1)
        and "epoch" in last_name(node.targets[0]).lower()
        for node in walk(handler)
    )


def loading_calls(module: Module) -> list[ast.Call]:
    """Calls of functions that load a checkpoint, by their names."""
    return [call for name, calls in module.calls.items() if LOADING.search(name) for call in calls]


def swallowing(module: Module, node: ast.AST) -> ast.ExceptHandler | None:
    """The handler of every error around a place that neither ends the run nor loads again."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Try) and inner in around.body:
            for handler in around.handlers:
                if not catches_all(handler.type):
                    continue
                below = list(walk(handler))
                ends = any(isinstance(one, ast.Raise) for one in below)
                names = {last_name(one.func) for one in below if isinstance(one, ast.Call)}
                loads = any("load" in name or name in ("exit", "_exit") for name in names)
                return None if ends or loads else handler
        inner = around
    return None


def catches_all(kind: ast.expr | None) -> bool:
    """Whether a handler is one of every error."""
    return kind is None or written(kind) in ("Exception", "BaseException")
