"""Whether a program runs as several processes only if somebody asks for them."""

import ast

from ...kept import kept
from ...project import Module
from ...syntax import is_constant, written
from .default_numbers import numbers


@kept
def is_one_unless_asked(module: Module) -> bool:
    """Whether a file joins other processes only where a setting counts more than one.

    The setting is 1 by its default, and no code, page or script gives it another value.
    """
    calls = module.calls.get("init_process_group", ())
    return bool(calls) and all(is_asked_for(module, call) for call in calls)


def is_asked_for(module: Module, call: ast.Call) -> bool:
    """Whether a call is under `if args.world_size > 1:`."""
    inner: ast.AST = call
    for around in module.ancestors(call):
        if isinstance(around, ast.If) and inner in around.body:
            given = module.assigned.get(written(around.test), ())
            tests = [one.value for one in given] or [around.test]
            if all(is_more_than_one(module, test) for test in tests):
                return True
        inner = around
    return False


def is_more_than_one(module: Module, test: ast.expr) -> bool:
    """Whether a condition says that a setting which is 1 by default is more than that."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Gt | ast.NotEq)
        and is_constant(test.comparators[0], 1)
        and numbers(module, test.left) == {1}
    )
