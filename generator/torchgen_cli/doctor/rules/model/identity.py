"""Values that are compared by where they lie."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ..checkpoint.in_place import is_setting

IDENTITY = re.compile(rb"\bis\b(\s+not\b)?\s*[-'\"\d(bru]|['\"\d)]\s*is\b")


@rule(
    "TG335",
    "`is` compares with a literal text or number",
    why="""`is` asks whether both are the same object, not whether they are equal. A text from
    a command line or a file is another object than the literal, so the branch is never taken.
    Where another literal may be compared, which CPython keeps once, it is a hint: it works, with a
    SyntaxWarning.""",
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
    for node in module.parents:
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, node.comparators, strict=False):
            if isinstance(operator, ast.Is | ast.IsNot) and (is_value(left) or is_value(right)):
                yield Spot(node, unsure=not (is_setting(left) or is_setting(right)))
                break


def is_value(node: ast.expr) -> bool:
    """Whether it is a literal text or number: not None, True, False or `...`."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (str, bytes, int, float)
