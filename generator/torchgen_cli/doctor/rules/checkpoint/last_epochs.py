"""What the rules on the last checkpoint ask: what else saves, and does the number of epochs fit?"""

import ast
from pathlib import PurePosixPath

from ...project import Module
from ...syntax import Loop, is_constant, keyword, last_name
from ..shared.states import saves
from ..shared.weights_alone import is_script


def saved_elsewhere(module: Module) -> bool:
    """Whether another file of the program saves, and no script that can be started by itself."""
    brought = {part for whole in module.imports.values() for part in whole.split(".")}
    return any(
        any(saves(other))
        for other in module.project.near(module)
        if other is not module
        and (not is_script(other) or PurePosixPath(other.name).stem in brought)
    )


def is_endless(loop: Loop) -> bool:
    """Whether a loop has no last pass: `while True`, or over `itertools.count()`."""
    if isinstance(loop, ast.While):
        return is_constant(loop.test, True, 1)
    return isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "count"


def fits_by_default(module: Module, mod: ast.BinOp, loop: Loop) -> bool:
    """Whether the last epoch, counted from one, is saved unless somebody asks for other numbers."""
    made = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(made, ast.Call) or last_name(made.func) not in ("range", "trange"):
        return False
    end = made.args[1] if len(made.args) > 1 else made.args[0] if made.args else None
    one_more = isinstance(end, ast.BinOp) and isinstance(end.op, ast.Add)
    shifted = isinstance(mod.left, ast.BinOp) and isinstance(mod.left.op, ast.Add)
    last = end.left if isinstance(end, ast.BinOp) and one_more else end
    numbers = [number_by_default(module, one) for one in (last, mod.right)]
    epochs, every = numbers
    return one_more != shifted and bool(epochs and every and epochs % every == 0)


def number_by_default(module: Module, node: ast.expr | None) -> int | None:
    """The whole number that an expression is, by default of the flag that it reads."""
    values = [node] if isinstance(node, ast.Constant) else []
    if isinstance(node, ast.Name | ast.Attribute):
        name = last_name(node)
        flags = (f"--{name}", f"--{name.replace('_', '-')}")
        values = [
            default
            for other in (module, *module.project.near(module))
            for call in other.calls.get("add_argument", ())
            if any(is_constant(one, *flags) for one in call.args)
            if isinstance(default := keyword(call, "default"), ast.Constant)
        ]
    value = values[0].value if values else None
    return value if type(value) is int else None
