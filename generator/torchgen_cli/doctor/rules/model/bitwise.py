"""Operators for bits where those for truth are meant."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from .truths import is_truth

BITS = (ast.BitAnd, ast.BitOr)


@rule(
    "TG332",
    "`~` makes any bool true",
    why="""`~True` is -2 and `~False` is -1: both count as true. What the flag should turn off is
    always on.""",
    remedy="write `not`",
    source="https://docs.python.org/3/library/stdtypes.html#boolean-type-bool",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--no-log", action="store_true")
args = parser.parse_args()
if ~args.no_log:  # <--
    print("logging")
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--no-log", action="store_true")
args = parser.parse_args()
if not args.no_log:
    print("logging")
""",
)
def inverted(module: Module) -> Iterator[ast.AST]:
    if b"~" not in module.project.contents[module.name]:
        return  # for the sake of speed
    for node in module.parents:
        if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.Invert):
            continue
        if is_truth(module, node.operand):
            yield node


@rule(
    "TG333",
    "`&` and `|` bind tighter than `==`, so this compares something else",
    why="""Unlike `and`, `&` binds tighter than a comparison: `shuffle & rank == -1` compares
    `shuffle & rank` with -1, which is never true if `shuffle` is a bool; and `x == 1 & y == 2`
    compares all three: x, `1 & y` and 2.""",
    remedy="write `and` or `or`, or put parentheses around the comparison",
    source="https://docs.python.org/3/reference/expressions.html#operator-precedence",
    bad="""
from torch.utils.data import DataLoader


def load(dataset, rank, shuffle: bool):
    return DataLoader(dataset, batch_size=8, shuffle=shuffle & rank == -1)  # <--
""",
    good="""
from torch.utils.data import DataLoader


def load(dataset, rank, shuffle: bool):
    return DataLoader(dataset, batch_size=8, shuffle=shuffle and rank == -1)
""",
)
def before_comparison(module: Module) -> Iterator[ast.AST]:
    text = module.project.contents[module.name]
    if b"&" not in text and b"|" not in text:
        return  # for the sake of speed
    for node in module.parents:
        if not isinstance(node, ast.Compare):
            continue
        first, *others = node.left, *node.comparators
        equal = any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
        if equal and any(map(is_number_by_name, others[:-1])):
            yield node  # `x == 1 & y == 2`
        by_bits = is_by_bits(first) and not is_in_brackets(module, first)
        if by_bits and len(others) == 1 and is_number(others[0]):
            assert isinstance(first, ast.BinOp)
            if is_truth(module, first.left) and not is_truth(module, first.right):
                yield node


def is_number_by_name(node: ast.expr) -> bool:
    """Whether it is `1 & y`: a mask stands behind what it is for."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, BITS)
        and is_number(node.left)
        and not isinstance(node.right, ast.Constant)
    )


def is_by_bits(node: ast.AST) -> bool:
    """Whether it is `a & b` or `a | b`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, BITS)


def is_number(node: ast.AST) -> bool:
    """Whether it is a number or a text that is written out, or a negative one."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool)


def is_in_brackets(module: Module, node: ast.expr) -> bool:
    """Whether the code has brackets of its own around an expression."""
    before = module.lines[node.lineno - 1][: node.col_offset].rstrip()
    last = (node.end_lineno or node.lineno) - 1
    ends = last >= len(module.lines)
    after = b"" if ends else module.lines[last][node.end_col_offset or 0 :].lstrip()
    return before.endswith(b"(") and after.startswith(b")")
