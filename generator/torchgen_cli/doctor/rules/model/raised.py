"""What is raised, and is no exception."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import last_name, receiver

# for the sake of speed
MAY_RAISE = re.compile(rb"\braise\s*(\s+NotImplemented\b|\(*\s*[rRuUfF]?[\"'])")


@rule(
    "TG338",
    "what is raised here is not an exception",
    why="""`NotImplemented` is a value that comparisons return, and a string is not an exception
    either: Python raises a TypeError about that, and the intended message is lost. Shown once per
    kind.""",
    remedy="raise `NotImplementedError`, or put the string into a `ValueError`",
    source="https://docs.python.org/3/library/exceptions.html#NotImplementedError",
    bad="""
import torch


def criterion(name):
    if name == "l1":
        return torch.nn.L1Loss()
    raise NotImplemented(f"no criterion is called {name}")  # <--
""",
    good="""
import torch


def criterion(name):
    if name == "l1":
        return torch.nn.L1Loss()
    raise NotImplementedError(f"no criterion is called {name}")
""",
    severity=Severity.HINT,
    once=True,
)
def raises_no_exception(module: Module) -> Iterator[Spot]:
    if not MAY_RAISE.search(module.project.contents[module.name]):
        return
    for node in module.parents:
        if isinstance(node, ast.Raise) and node.exc is not None:
            if is_not_implemented(node.exc):
                yield Spot(node, "NotImplemented")
            elif is_text(node.exc):
                yield Spot(node, "a string")


def is_not_implemented(value: ast.expr) -> bool:
    """Whether it is `NotImplemented`, which can be called no more than raised."""
    called = value.func if isinstance(value, ast.Call) else value
    return isinstance(called, ast.Name) and called.id == "NotImplemented"


def is_text(value: ast.expr) -> bool:
    """Whether it is surely a text, or several values that begin with one."""
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and is_text(value.elts[0])
    if isinstance(value, ast.BinOp):
        return is_text(value.left)
    if isinstance(value, ast.Call):
        owner = receiver(value)
        return last_name(value.func) == "format" and owner is not None and is_text(owner)
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )
