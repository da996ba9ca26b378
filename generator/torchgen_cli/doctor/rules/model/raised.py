"""What is raised and is no exception, and exceptions that are not raised."""

import ast
import builtins
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import FUNCTIONS, Function, last_name, own_nodes, receiver, walk

# for the sake of speed
MAY_RAISE = re.compile(rb"\braise\s*(\s+NotImplemented\b|\(*\s*[rRuUfF]?[\"'])")

MAY_RETURN = re.compile(rb"\breturn\s+\(?\w*(Error|Exception)\b")
# how functions are called that make an error for others to raise
MAKES = re.compile(r"err|exc|fail|fault", re.I)


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


@rule(
    "TG352",
    "an exception is returned, and not raised",
    why="""The caller is given the exception as if it were the result, and goes on with it. What
    fails later, if anything does, has another message and another place. Functions that only make
    errors, and projects that ask whether a result is one, are left alone. This is a hint, as it is
    mostly the message that is lost.""",
    remedy="write `raise` in place of `return`",
    source="https://docs.python.org/3/tutorial/errors.html#raising-exceptions",
    bad="""
import torch


def criterion(name):
    if name == "l1":
        return torch.nn.L1Loss()
    return NotImplementedError(f"no criterion is called {name}")  # <--
""",
    good="""
import torch


def criterion(name):
    if name == "l1":
        return torch.nn.L1Loss()
    raise NotImplementedError(f"no criterion is called {name}")
""",
    severity=Severity.HINT,
)
def returns_exception(module: Module) -> Iterator[Spot]:
    if not MAY_RETURN.search(module.project.contents[module.name]):
        return
    for node in module.parents:
        name = exception_in(node.value) if isinstance(node, ast.Return) else ""
        function = module.function(node) if name and name not in module.imports else None
        if isinstance(function, FUNCTIONS) and not is_meant(module, function):
            yield Spot(node, name)


def exception_in(value: ast.expr | None) -> str:
    """The class of Python's own that a value makes, or is, if it is one of exceptions."""
    called = value.func if isinstance(value, ast.Call) else value
    name = called.id if isinstance(called, ast.Name) else ""
    known = getattr(builtins, name, None) if name else None
    return name if isinstance(known, type) and issubclass(known, Exception) else ""


def is_meant(module: Module, function: Function) -> bool:
    """Whether a function is there to make an exception, or its callers look for one."""
    returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
    others = any(value is not None and not exception_in(value) for value in returned)
    abstract = all(exception_in(value) == "NotImplementedError" for value in returned)
    if MAKES.search(function.name) or function.returns is not None or not (others or abstract):
        return True
    return any(
        isinstance(other.parents[call], ast.Raise)
        for other, call in module.project.callers.get(function.name, ())
    ) or any(map(asks_for_exceptions, module.project.modules))


def asks_for_exceptions(module: Module) -> bool:
    """Whether a file asks if something is an exception, or of a class of them."""
    return any(
        exception_in(part)
        for call in module.calls.get("isinstance", ())
        for argument in call.args[1:]
        for part in walk(argument)
        if isinstance(part, ast.Name)
    )
