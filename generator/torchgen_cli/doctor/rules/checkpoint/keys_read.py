"""What a program reads from a checkpoint to go on with a run, and does not just tell."""

import ast
import re

from ...kept import kept
from ...project import Module
from ...syntax import everything, last_name, mentions, written
from .never_asked import is_never_asked

PROGRESS = re.compile(
    r"^((start|last|current|global)_)?(epochs?|steps?|iter(ation)?s?)(_(num|run|done|no|idx))?$",
    re.I,
)
TELLING = re.compile(r"print|info|debug|warn|format|write|log", re.I)


@kept
def keys_read(module: Module, keys: frozenset[str]) -> list[ast.expr]:
    """Where a file reads one of the keys, for more than to tell it."""
    found: list[ast.expr] = []
    for one in everything(module.tree):
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load):
            key: ast.expr | None = one.slice
        elif isinstance(one, ast.Call) and last_name(one.func) in ("get", "pop") and one.args:
            key = one.args[0]
        else:
            continue
        if not isinstance(key, ast.Constant) or key.value not in keys or is_saved(module, one):
            continue
        if not is_told(module, one) and not is_never_asked(module, one):
            found.append(one)
    return found


def is_saved(module: Module, value: ast.expr) -> bool:
    """Whether it is put under the same key: `"epoch": counts["epoch"]`."""
    around = module.parents[value]
    return isinstance(around, ast.Dict) and any(
        isinstance(key, ast.Constant) and held is value and mentions(value, str(key.value))
        for key, held in zip(around.keys, around.values, strict=True)
    )


def is_told(module: Module, node: ast.AST) -> bool:
    """Whether it is printed or logged, at once or by its name, and put to no other use."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Call) and TELLING.search(last_name(around.func)):
            return around.func is not inner
        if isinstance(around, ast.Assign) and around.value is node:
            uses = [one for name in around.targets for one in uses_of(module, name)]
            return isinstance(around.targets[0], ast.Name) and all(
                is_told(module, one) for one in uses
            )
        if isinstance(around, ast.stmt):
            return False
        inner = around
    return False


def uses_of(module: Module, name: ast.expr) -> list[ast.Name]:
    """Where a function reads one of its names, and inner functions too."""
    return [
        one
        for one in everything(module.function(name))
        if isinstance(one, ast.Name) and written(one) == written(name)
        if isinstance(one.ctx, ast.Load)
    ]
