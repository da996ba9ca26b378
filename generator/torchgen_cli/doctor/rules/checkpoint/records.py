"""What a checkpoint holds that its keys do not say: a record with the epoch, and options."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import Function, own_nodes, walk, written
from ..shared.programs import run_with

STARTS = re.compile(r"(start|begin|first|initial)_?(epoch|step|iter)|(epoch|step)_?start", re.I)
COUNTS = re.compile(r"epoch|step|iter", re.I)


@kept
def records(module: Module) -> frozenset[str]:
    """The keys of what a program loads, whose values tell it with which epoch to begin."""
    return frozenset(
        key
        for other in run_with(module)
        for name, statements in other.assigned.items()
        if STARTS.search(name)
        for statement in statements
        for key in around_the_count(other, statement.value)
    )


def around_the_count(module: Module, value: ast.expr) -> Iterator[str]:
    """The key under which the record lies that a number of epochs is read from."""
    for node in walk(value):
        if isinstance(node, ast.Subscript) and COUNTS.search(key_of(node)):
            record = node.value
            named = isinstance(record, ast.Name)
            for one in module.value_in(record, module.function(node)) if named else [record]:
                if isinstance(one, ast.Subscript) and key_of(one):
                    yield key_of(one)


def key_of(node: ast.Subscript) -> str:
    """The key that is looked up, where it is a text that is written out."""
    key = node.slice
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def hands_on_options(module: Module, function: Function) -> bool:
    """Whether all that callers give by names may be saved, and not just what has a known name."""
    if function.args.kwarg is None:
        return False
    uses = [one for one in own_nodes(function) if written(one) == function.args.kwarg.arg]
    return not all(
        (isinstance(around := module.parents[one], ast.Subscript) and key_of(around))
        or (isinstance(around, ast.Compare) and isinstance(around.ops[0], ast.In | ast.NotIn))
        for one in uses
    )
