"""Places that no run comes to, as a name that is asked for is never set."""

import ast

from ...project import Module
from ...syntax import everything, is_constant


def is_never_asked(module: Module, node: ast.AST) -> bool:
    """Whether it is under the condition that a name is set, which the file says never to be."""
    return any(
        isinstance(around, ast.If)
        and any(
            isinstance(one, ast.Name) and is_never_set(module, one)
            for one in (around.test, *compared_with_none(around.test))
        )
        and any(node in everything(statement) for statement in around.body)
        for around in module.ancestors(node)
    )


def compared_with_none(test: ast.expr) -> list[ast.expr]:
    """The name in `name is not None`."""
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot | ast.NotEq):
        return [test.left] if is_constant(test.comparators[0], None, "", False) else []
    return []


def is_never_set(module: Module, name: ast.Name) -> bool:
    """Whether a name of a file is given None, False or nothing, and nothing else."""
    given = module.assigned.get(name.id, ())
    stores = sum(
        isinstance(one, ast.Name) and one.id == name.id and isinstance(one.ctx, ast.Store)
        for one in everything(module.tree)
    )
    taken = any(isinstance(one, ast.arg) and one.arg == name.id for one in everything(module.tree))
    if taken or stores != len(given) or not given:
        return False
    return all(is_constant(one.value, None, False, "") for one in given)
