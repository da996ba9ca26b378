"""Values that are compared by where they lie."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import last_name
from ..checkpoint.in_place import is_setting

IDENTITY = re.compile(rb"\bis\b(\s+not\b)?\s*[-'\"\d(bru]|['\"\d)]\s*is\b")


@rule(
    "TG335",
    "`is` compares with a string or number literal",
    why="""`is` checks whether both are the same object, not whether they are equal. A string from a
    command line or a file is a different object from the literal, so the branch is never taken. It
    is a hint where
    another literal may be compared, or a value that CPython caches, such as "" or a small number:
    it works, with a SyntaxWarning.""",
    remedy="write `==`, or `!=` for `is not`",
    source="https://docs.python.org/3/reference/expressions.html#is-not",
    bad="""
import torch


def criterion(args):
    if args.loss is "l1":  # <--
        return torch.nn.L1Loss()
    return torch.nn.MSELoss()
""",
    good="""
import torch


def criterion(args):
    if args.loss == "l1":
        return torch.nn.L1Loss()
    return torch.nn.MSELoss()
""",
    severity=Severity.WARNING,
)
def same_object(module: Module) -> Iterator[Spot]:
    if IDENTITY.search(module.project.contents[module.name]) is None:
        return
    found: dict[int, Spot] = {}  # one a line
    for node in module.parents:
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, node.comparators, strict=False):
            if isinstance(operator, ast.Is | ast.IsNot) and (is_value(left) or is_value(right)):
                kept = is_kept_once(left) or is_kept_once(right)
                known = any(is_given(module, one) for one in (left, right))
                unsure = kept or not known
                found[node.lineno] = found.get(node.lineno) or Spot(node, unsure=unsure)
    yield from found.values()


def is_kept_once(node: ast.expr) -> bool:
    """Whether CPython has one object for each such value: the empty text, a small number."""
    value = getattr(node.operand if isinstance(node, ast.UnaryOp) else node, "value", None)
    if isinstance(value, str | bytes):
        return not value
    return isinstance(value, int) and value <= 256


def is_given(module: Module, node: ast.expr) -> bool:
    """Whether it is a setting, and no code sets it to a literal that may be the same object."""
    if not is_setting(node):
        return False
    name = last_name(node)
    return not any(
        isinstance(statement.value, ast.Constant)
        for other in module.project.modules
        for statement in other.assigned.get(name, ())
    )


def is_value(node: ast.expr) -> bool:
    """Whether it is a literal text or number: not None, True, False or `...`."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (str, bytes, int, float)
