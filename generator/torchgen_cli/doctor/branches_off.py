"""Branches that no run takes: every caller gives a parameter a constant that leads past them."""

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from .constants_given import FAR, values_of_argument
from .defined import left_before
from .naming import OPTIONS
from .project import Module
from .syntax import FUNCTIONS, Function, last_name
from .unused import is_distributed
from .users import users_of
from .words import WORD, words_given

ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def is_in_branch_off(module: Module, node: ast.AST) -> bool:
    """Whether a place is in a branch that no run takes, or only such branches lead to it."""
    return not is_distributed(module.project) and is_off(module, node, FAR)


def is_off(module: Module, node: ast.AST, depth: int) -> bool:
    """The same, by the callers of the function or the makers of the objects, up to a depth."""
    inner = node
    told: set[tuple[str, bool]] = set()
    for around in module.ancestors(node):
        for test, wanted in conditions(around, inner):
            if truth(module, test) is (not wanted):
                return True
            if wanted and is_unheard_of(module, test):
                return True
            if isinstance(around, ast.expr):  # within which nothing changes
                text = ast.unparse(test)
                if (text, not wanted) in told and "(" not in text:
                    return True  # which is asked for both: a or (a and b)
                told.add((text, wanted))
        if depth and is_run_by_users(around, inner):
            users = users_of(module, around)
            if users and all(is_off(*one, depth - 1) for one in users):
                return True
        inner = around
    return False


def is_unheard_of(module: Module, test: ast.expr) -> bool:
    """Whether an option is asked for a word that nothing else says: no text, page or file."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    option = isinstance(test.left, ast.Attribute) and OPTIONS.match(last_name(test.left.value))
    word = getattr(test.comparators[0], "value", None)
    single = isinstance(word, str) and WORD.fullmatch(word)
    return bool(option and single) and word not in words_given(module.project)


def is_run_by_users(around: ast.AST, inner: ast.AST) -> TypeGuard[Function | ast.ClassDef]:
    """Whether a part of a function is of its body, or one of a class a method."""
    method = isinstance(around, ast.ClassDef) and isinstance(inner, FUNCTIONS)
    return method or (isinstance(around, FUNCTIONS) and inner in around.body)


def conditions(around: ast.AST, inner: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """(a condition, how it has to turn out) for a part of what is around it to be run."""
    if isinstance(around, ast.If | ast.While) and inner is not around.test:
        yield around.test, inner in around.body
    elif isinstance(around, ast.IfExp) and inner is not around.test:
        yield around.test, inner is around.body
    elif isinstance(around, ast.BoolOp):
        before = around.values[: around.values.index(inner)]  # type: ignore[arg-type]
        yield from ((one, isinstance(around.op, ast.And)) for one in before)
    if isinstance(inner, ast.stmt):
        yield from ((one, False) for one in left_before(around, inner))


def truth(module: Module, test: ast.expr) -> bool | None:
    """How a condition turns out, by the constants that callers give; None where that varies."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(module, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        answers = {truth(module, one) for one in test.values}
        decides = isinstance(test.op, ast.Or)
        if decides in answers:
            return decides
        return None if None in answers else not decides
    asked = test.left if isinstance(test, ast.Compare) else test
    values = values_of_argument(module, asked)
    answers = {answer(test, value) for value in values or ()}
    return answers.pop() if len(answers) == 1 else None


def answer(test: ast.expr, value: object) -> bool | None:
    """What a condition on one value says of this one; None where it asks for something else."""
    if not isinstance(test, ast.Compare):
        return bool(value)
    other = test.comparators[0]
    known = [one.value for one in getattr(other, "elts", [other]) if isinstance(one, ast.Constant)]
    if len(test.ops) > 1 or len(known) != len(getattr(other, "elts", [other])):
        return None
    if (order := ORDERS.get(type(test.ops[0]))) is not None:
        numbers = [one for one in (value, *known) if isinstance(one, int | float)]
        return bool(order(*numbers)) if len(numbers) == 2 else None
    if isinstance(test.ops[0], ast.In | ast.NotIn) is isinstance(other, ast.Constant):
        return None
    if isinstance(test.ops[0], ast.NotEq | ast.IsNot | ast.NotIn):
        return value not in known
    return value in known if isinstance(test.ops[0], ast.Eq | ast.Is | ast.In) else None
