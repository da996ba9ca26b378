"""Whether conditions hold with known numbers."""

import ast
from collections.abc import Iterator

from .default_numbers import combined, setting

Known = dict[str, int]


def true_with(test: ast.AST, known: Known) -> bool | None:
    """Whether a condition is true; None where that is not known."""
    if isinstance(test, ast.BoolOp):
        parts = [true_with(one, known) for one in test.values]
        decides = isinstance(test.op, ast.Or)
        return decides if decides in parts else None if None in parts else not decides
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = true_with(test.operand, known)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = [value_with(one, known) for one in (test.left, test.comparators[0])]
        return compare(test.ops[0], *sides)
    value = value_with(test, known)
    return None if value is None else bool(value)


def compare(operator: ast.cmpop, one: int | None, other: int | None) -> bool | None:
    """The result of a comparison; None where that is not known."""
    if one is None or other is None:
        return None
    if isinstance(operator, ast.Eq | ast.NotEq):
        return (one == other) is isinstance(operator, ast.Eq)
    if isinstance(operator, ast.Gt | ast.GtE):
        return one > other or (one == other and isinstance(operator, ast.GtE))
    if isinstance(operator, ast.Lt | ast.LtE):
        return one < other or (one == other and isinstance(operator, ast.LtE))
    return None


def value_with(node: ast.AST, known: Known) -> int | None:
    """The number that an expression is; None where that is not known."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp):
        one, other = value_with(node.left, known), value_with(node.right, known)
        return None if one is None or other is None else combined(node.op, one, other)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = value_with(node.operand, known)
        return None if inner is None else -inner
    return known.get(ast.unparse(node)) if isinstance(node, ast.expr) else None


def leaves(test: ast.AST) -> Iterator[ast.expr]:
    """The names and settings in a condition."""
    if isinstance(test, ast.Name | ast.Attribute) or setting(test):
        yield test  # type: ignore[misc]
    elif isinstance(test, ast.Call):
        return
    else:
        for one in ast.iter_child_nodes(test):
            yield from leaves(one)
