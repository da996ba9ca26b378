"""Whether something is chosen by a figure: the best checkpoint, the learning rate, the end."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import FUNCTIONS, last_name, own_calls, own_nodes, receiver, walk, written

CHOOSING = re.compile(r"early|stop|plateau|is_best|checkpoint|save_best", re.I)
EXTREMES = ("argmin", "argmax", "nanargmin", "nanargmax")
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_chosen_by(module: Module, scope: ast.AST, name: str, depth: int = 2) -> bool:
    """Whether anything is chosen by a figure of a function, there or where it is returned to."""
    carried = carriers(scope, name)
    if any(chooses(module, node, carried) for node in own_nodes(scope)):
        return True
    return depth > 0 and any(
        is_chosen_by(other, other.function(call), one, depth - 1)
        for other, call, one in returned(module, scope, carried)
    )


def carriers(scope: ast.AST, name: str) -> set[str]:
    """The names of a function whose value is, or is computed from, that of a name."""
    found = {name}
    statements = [node for node in own_nodes(scope) if isinstance(node, ast.Assign)]
    lists = [call for call in own_calls(scope, "append") if call.args and receiver(call)]
    for _ in range(3):  # what depends on what depends on it
        for node in statements:
            if carries(node.value, found):
                found.update(text(one) for target in node.targets for one in parts(target))
        for call in lists:
            if carries(call.args[0], found):
                found.add(text(call.func.value) if isinstance(call.func, ast.Attribute) else "")
        found.discard("")  # which is the text of all that has no name
    return found


def parts(target: ast.expr) -> list[ast.expr]:
    """The targets in a target: of a tuple its elements."""
    return target.elts if isinstance(target, ast.Tuple) else [target]


def text(node: ast.AST) -> str:
    """A name, an attribute or `figures["loss"]` as one text; empty for all else."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return f"{written(node.value)}[{node.slice.value!r}]"
    return written(node)


def carries(node: ast.AST, names: set[str]) -> bool:
    """Whether one of the names is used below: itself, or an attribute as in `losses.avg`."""
    return any(
        text(one) in names or (isinstance(one, ast.Attribute) and written(one.value) in names)
        for one in walk(node)
    )


def chooses(module: Module, node: ast.AST, names: set[str]) -> bool:
    """Whether it compares one of the names with an earlier figure, or hands it to what does."""
    if isinstance(node, ast.If | ast.Assign):
        test = node.test if isinstance(node, ast.If) else node.value
        return any(compares(one, names) for one in plain_tests(test))
    if not isinstance(node, ast.Call) or not any(carries(one, names) for one in node.args):
        return False
    name = last_name(node.func)
    return name in (*EXTREMES, "step") or bool(CHOOSING.search(written(node.func)))


def plain_tests(test: ast.expr) -> Iterator[ast.Compare]:
    """The comparisons that decide a condition; those inside `a if b else c` decide a figure."""
    if isinstance(test, ast.Compare):
        yield test
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from plain_tests(value)


def compares(test: ast.Compare, names: set[str]) -> bool:
    """Whether one side is such a figure, and the other is no literal."""
    sides = [test.left, *test.comparators]
    return (
        isinstance(test.ops[0], ORDERS)
        and any(carries(side, names) for side in sides)
        and not any(isinstance(side, ast.Constant) for side in sides)
    )


def returned(
    module: Module, scope: ast.AST, names: set[str]
) -> Iterator[tuple[Module, ast.Call, str]]:
    """(file, call of the function, what holds the figure there)."""
    if not isinstance(scope, FUNCTIONS):
        return
    values = [one.value for one in own_nodes(scope) if isinstance(one, ast.Return) and one.value]
    values = [value for value in values if carries(value, names)]
    for other, call in module.project.calls_of(module, scope) if values else ():
        around = other.parents[call]
        if isinstance(around, ast.Assign):
            for value in values:
                for one in received(around.targets[0], value, names):
                    yield other, call, one


def received(target: ast.expr, value: ast.expr, names: set[str]) -> Iterator[str]:
    """The names at a call that hold the figure, by where in the returned value it stands."""
    if isinstance(value, ast.Dict) and written(target):
        for key, one in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and carries(one, names):
                yield f"{written(target)}[{key.value!r}]"
    elif isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple):
        for one, got in zip(target.elts, value.elts, strict=False):
            if carries(got, names) and written(one):
                yield written(one)
    elif isinstance(value, ast.Tuple) and written(target):
        for place, got in enumerate(value.elts):
            if carries(got, names):
                yield f"{written(target)}[{place!r}]"
    elif written(target):
        yield written(target)
