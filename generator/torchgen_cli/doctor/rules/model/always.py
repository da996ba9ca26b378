"""Conditions in which a text or a number stands alone, and texts that were meant as tuples."""

import ast
import re
from collections.abc import Iterator, Sequence

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import is_constant, last_name, same, walk

# for the sake of speed
MAY_STAND_ALONE = re.compile(rb"\bor\b[\s(\\]*[\"'.\d]|[\"'\d][\s)\\]*\bor\b")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+([_.-][A-Za-z0-9]+)*")
CHARACTER = re.compile(r"^.$|(^|_)(ch|char|character|letter|digit)s?(_|$)", re.I)
TELLING = ("error", "exit", "info", "print", "warn", "warning")
ASKS = (ast.If, ast.While, ast.IfExp, ast.Assert)


@rule(
    "TG339",
    "the condition is always true, as a string or number stands alone in it",
    why="""`x == "a" or "b"` checks whether x is "a", or whether the string "b" is true, as every
    non-empty string is. The condition holds whatever x is. It is a hint with the number 1, which
    may be there to disable the condition, where only an error or a message is lost, and in the
    last of several branches for values of one thing, which then is their `else`.""",
    remedy='write out each comparison, or use `x in ("a", "b")`',
    source="https://docs.python.org/3/library/stdtypes.html#truth-value-testing",
    bad="""
import torch


def optimizer_of(name, weights):
    if name == "adam" or "adamw":  # <--
        return torch.optim.AdamW(weights)
    return torch.optim.SGD(weights, lr=0.1)
""",
    good="""
import torch


def optimizer_of(name, weights):
    if name in ("adam", "adamw"):
        return torch.optim.AdamW(weights)
    return torch.optim.SGD(weights, lr=0.1)
""",
)
def always_true(module: Module) -> Iterator[Spot]:
    if not MAY_STAND_ALONE.search(module.project.contents[module.name]):
        return
    for node in module.parents:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            alone = [one for one in node.values if is_true_by_itself(one)]
            if alone and is_asked(module, node):
                disabled = all(is_constant(one, 1) for one in alone)
                petty = disabled or only_refuses(module, node) or is_for_the_rest(module, node)
                yield Spot(node, unsure=petty)


def is_for_the_rest(module: Module, node: ast.BoolOp) -> bool:
    """Whether it is the last `elif`, and the one before asks for another value of the same."""
    last = module.parents[node]
    before = module.parents[last]
    return (
        isinstance(last, ast.If)
        and not last.orelse
        and isinstance(before, ast.If)
        and before.orelse == [last]
        and isinstance(before.test, ast.Compare)
        and isinstance(node.values[0], ast.Compare)
        and same(before.test.left, node.values[0].left)
    )


def only_refuses(module: Module, node: ast.expr) -> bool:
    """Whether all that is lost with the other way is an error or a message."""
    statement = module.statement(node)
    if isinstance(statement, ast.Assert):
        return True
    if not isinstance(statement, ast.If) or not any(one is node for one in walk(statement.test)):
        return False
    negated = isinstance(statement.test, ast.UnaryOp)
    lost = statement.body if negated else statement.orelse
    return bool(lost) and all(map(tells, lost))


def tells(statement: ast.stmt) -> bool:
    """Whether a statement raises an error, or prints or logs something."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call):
        return last_name(call.func) in TELLING
    return isinstance(statement, ast.Raise)


def is_true_by_itself(value: ast.expr) -> bool:
    """Whether it is a text that is not empty, or a number that is not 0; True is meant so."""
    if not isinstance(value, ast.Constant) or isinstance(value.value, bool):
        return False
    return isinstance(value.value, str | int | float) and bool(value.value)


def is_asked(module: Module, node: ast.expr) -> bool:
    """Whether nothing but the truth of a value is asked for."""
    inner: ast.AST = node
    for around in module.ancestors(node):
        if isinstance(around, ASKS):
            return around.test is inner
        if isinstance(around, ast.comprehension):
            return inner in around.ifs
        negated = isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not)
        if not negated and not isinstance(around, ast.BoolOp):
            return False
        inner = around
    return False


@rule(
    "TG340",
    "parentheses around one string make no tuple, so `in` looks for a substring",
    why="""`name in ("train")` is `name in "train"`: it also holds for "rain", for "t" and for an
    empty string. It works only while no value is a substring of another.""",
    remedy='add a comma after the string, `("train",)`, or compare with `==`',
    source="https://docs.python.org/3/reference/expressions.html#parenthesized-forms",
    bad="""
import torch


def transform(split, image):
    if split in ("train"):  # <--
        return torch.flip(image, (-1,))
    return image
""",
    good="""
import torch


def transform(split, image):
    if split in ("train",):
        return torch.flip(image, (-1,))
    return image
""",
    severity=Severity.HINT,
)
def part_of_text(module: Module) -> Iterator[ast.Compare]:
    content = module.project.contents[module.name]
    if b"in (" not in content and b"in(" not in content:
        return
    for node in module.parents:
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], ast.In | ast.NotIn)
            and is_one_value(node.left)
            and is_one_word(node.comparators[0])
            and is_in_parentheses(module.lines, node.comparators[0])
        ):
            yield node


def is_one_value(left: ast.expr) -> bool:
    """Whether it is a name, part of an object or a text in lower letters; not one character."""
    if isinstance(left, ast.Call):
        return last_name(left.func) in ("lower", "upper", "strip") and not left.args
    return isinstance(left, ast.Name | ast.Attribute) and not CHARACTER.search(last_name(left))


def is_one_word(value: ast.expr) -> bool:
    """Whether it is a text of one word."""
    return (
        isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and WORD.fullmatch(value.value) is not None
    )


def is_in_parentheses(lines: Sequence[bytes], node: ast.expr) -> bool:
    """Whether parentheses stand right around an expression of one line."""
    if node.end_lineno != node.lineno or node.end_col_offset is None:
        return False
    line = lines[node.lineno - 1]
    before, after = line[: node.col_offset].rstrip(), line[node.end_col_offset :].lstrip()
    return before.endswith(b"(") and after.startswith(b")")
