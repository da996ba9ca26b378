"""Validation data that are asked for as those of the test."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import is_constant, own_nodes, walk, written

TESTED = re.compile(r"^tests?(ing)?$", re.I)
VALIDATED = re.compile(r"^(val|vali|valid|validation|dev)$", re.I)
NAMED = re.compile(r"(^|_)(val|vali|valid|validation|dev)(?=_|$|set|data|loader)", re.I)
NAMED_TEST = re.compile(r"(^|_)test(?=_|$|set|data|loader)", re.I)


def asked_as_test(module: Module) -> Iterator[ast.stmt]:
    """Where data for validation are made by the call that makes those of the test.

    Or where the name of the validation split stands for that of the test.
    """
    for node in module.parents:
        if isinstance(node, ast.If) and is_renaming(node):
            yield node.body[0]
        elif isinstance(node, ast.Assign) and made_as_test(module, node):
            yield node


def made_as_test(module: Module, statement: ast.Assign) -> bool:
    """Whether a call with the word "test" makes it, and makes the test data beside it as well."""
    value = statement.value
    if not isinstance(value, ast.Call) or not any(map(is_word, given(value))):
        return False
    names = [written(one).rpartition(".")[2] for one in walk(statement.targets[0])]
    if not any(map(NAMED.search, names)) or any(map(NAMED_TEST.search, names)):
        return False
    text = ast.unparse(value)
    return any(
        isinstance(other, ast.Assign)
        and other is not statement
        and any(NAMED_TEST.search(written(one)) for one in walk(other.targets[0]))
        and ast.unparse(other.value) == text
        for other in own_nodes(module.function(statement))
    )


def given(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call."""
    return [*call.args, *(one.value for one in call.keywords)]


def is_word(node: ast.expr) -> bool:
    """Whether it is the word that stands for a test."""
    return isinstance(node, ast.Constant) and bool(TESTED.match(str(node.value)))


def is_renaming(condition: ast.If) -> bool:
    """Whether it is `if split == "val": split = "test"`."""
    test, first = condition.test, condition.body[0]
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    asked = test.comparators[0]
    named = isinstance(asked, ast.Constant) and bool(VALIDATED.match(str(asked.value)))
    alone = len(condition.body) == 1 and not condition.orelse
    return named and alone and isinstance(first, ast.Assign) and is_constant(first.value, "test")
