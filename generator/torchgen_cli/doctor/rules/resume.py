"""What a resumed run must not lose: the run itself, and its best score."""

import ast
import re
from collections.abc import Iterator

from ..project import Module
from ..rule import Severity, rule
from ..syntax import is_constant, last_name, own_calls, own_nodes, receiver, walk, written
from .loops import is_optimizer

BEST = re.compile(r"(^|_)(best|max|min|highest|lowest)(_|$)|best", re.I)
WORDS = ("print", "warn", "warning", "info", "error", "exception", "critical", "log")
LOADING = re.compile(r"(load|restore|resume).*(checkpoint|ckpt|state|model|snapshot)|^resume", re.I)


@rule(
    "TG607",
    "where a checkpoint cannot be read, the run begins anew without a word",
    why="""The handler takes every error for a missing file. A file that was cut off, a renamed
    layer or a full disk then costs the whole run, as the new one soon writes over the old
    checkpoints.""",
    remedy="ask whether the file exists, and let every other error end the run",
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
        if handler is None or any(last_name(c.func) in WORDS for c in own_calls(handler)):
            continue
        if is_optimizer(module, receiver(call)) or any(
            isinstance(node, ast.Call)
            and last_name(node.func) == "load_state_dict"
            and is_optimizer(module, receiver(node))
            for node in module.project.reached(module, call, 1)
        ):
            yield handler


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


@rule(
    "TG608",
    "a resumed run forgets the best score",
    why="""The optimizer is brought back, but the best score begins at its first value again: the
    first evaluation after the resume counts as the best, and writes over the checkpoint that
    was.""",
    remedy="save the best score in the checkpoint, and read it where you resume",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html",
    bad="""
import torch


def fit(model, optimizer, evaluate, epochs, path, resume):
    best_accuracy = 0.0
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    for epoch in range(start, epochs):
        accuracy = evaluate(model, optimizer)
        if accuracy > best_accuracy:  # <--
            best_accuracy = accuracy
            torch.save(model.state_dict(), f"{path}.best")
""",
    good="""
import torch


def fit(model, optimizer, evaluate, epochs, path, resume):
    best_accuracy = 0.0
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start, best_accuracy = state["epoch"], state["best_accuracy"]
    for epoch in range(start, epochs):
        accuracy = evaluate(model, optimizer)
        if accuracy > best_accuracy:
            best_accuracy = accuracy
            torch.save(model.state_dict(), f"{path}.best")
""",
    severity=Severity.WARNING,
)
def forgotten_best(module: Module) -> Iterator[ast.AST]:
    loads = module.calls.get("load_state_dict", ())
    scopes = {module.function(c): None for c in loads if is_optimizer(module, receiver(c))}
    for scope in scopes:
        for node in own_nodes(scope):
            if not isinstance(node, ast.If) or not any(True for _ in module.loops_around(node)):
                continue
            best = next((one for one in compared(node.test) if sets(node.body, one)), "")
            if best and saves_something(node) and begins_anew(module, scope, node, best):
                yield node


def compared(test: ast.expr) -> list[str]:
    """The names in a comparison that stand for the best so far."""
    sides = [s for n in walk(test) if isinstance(n, ast.Compare) for s in (n.left, *n.comparators)]
    return [side.id for side in sides if isinstance(side, ast.Name) and BEST.search(side.id)]


def sets(body: list[ast.stmt], name: str) -> bool:
    """Whether one of the statements gives a name another value."""
    return any(
        isinstance(one, ast.Assign) and written(one.targets[0]) == name
        for statement in body
        for one in walk(statement)
    )


def saves_something(node: ast.If) -> bool:
    """Whether a checkpoint is written below a condition."""
    return any("save" in last_name(call.func) for call in own_calls(node))


def begins_anew(module: Module, scope: ast.AST, test: ast.If, name: str) -> bool:
    """Whether a name is a plain number until the loop around a condition sets it."""
    loop = list(module.loops_around(test))[-1]
    inside = set(walk(loop))
    first = [
        node
        for node in own_nodes(scope)
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and node not in inside
    ]
    given = [module.parents[one] for one in first]
    return bool(given) and all(
        isinstance(one, ast.Assign) and is_number(one.value) for one in given
    )


def is_number(value: ast.expr) -> bool:
    """Whether it is a number that is written out, or an infinity."""
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.Call):
        return last_name(value.func) == "float"
    if isinstance(value, ast.Attribute):
        return value.attr in ("inf", "Inf", "infty")
    return isinstance(value, ast.Constant) and not is_constant(value, None)
