"""The best score of a run: where it is read, begins anew, and what it chooses is written."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import LOOPS, is_constant, last_name, own_calls, own_nodes, walk, written

BEST = re.compile(r"(^|_)(best|max|min|highest|lowest)(_|$)|best", re.I)
TIME = re.compile(r"strftime|\btime\.time\(|datetime|timestamp|uuid|\bnow\(", re.I)
TELLING = ("print", "info", "log", "write")
FAR = 4  # names that stand for others


def overwritten(module: Module) -> Iterator[ast.Assign]:
    """Where a best score that was read from a checkpoint is given its first value again.

    The value is set after the read in any case, and a loop later in the same block asks it.
    """
    for name, statements in module.assigned.items():
        reads = [one for one in statements if BEST.search(name) and reads_best(one.value)]
        for later in statements if reads else ():
            scope, around = module.function(later), module.parents[later]
            block = getattr(around, "body", [])
            if not is_number(later.value) or later not in block or isinstance(around, LOOPS):
                continue
            before = [
                one
                for one in reads
                if module.function(one) is scope
                and one.lineno < later.lineno
                and any(outer in block for outer in module.ancestors(one))
            ]
            loops = [one for one in block[block.index(later) :] if isinstance(one, LOOPS)]
            asked = any(is_asked(loop, name) for loop in loops)
            if before and asked and not is_used(scope, name, before[-1], later):
                yield later


def reads_best(value: ast.expr) -> bool:
    """Whether a score is read by its key: `state["best_loss"]`."""
    if isinstance(value, ast.Call) and value.args:
        inner = value.args[0]
        if last_name(value.func) in ("get", "pop"):
            return isinstance(inner, ast.Constant) and BEST.search(str(inner.value)) is not None
        return last_name(value.func) == "float" and reads_best(inner)
    return (
        isinstance(value, ast.Subscript)
        and isinstance(value.slice, ast.Constant)
        and BEST.search(str(value.slice.value)) is not None
    )


def is_asked(loop: ast.AST, name: str) -> bool:
    """Whether a loop compares something with a name, and sets it."""
    compared = any(
        isinstance(one, ast.Compare) and name in map(written, [one.left, *one.comparators])
        for one in walk(loop)
    )
    return compared and any(
        written(one) == name and isinstance(getattr(one, "ctx", None), ast.Store)
        for one in walk(loop)
    )


def is_used(scope: ast.AST, name: str, first: ast.AST, last: ast.AST) -> bool:
    """Whether a name is asked for between two statements, and not just told."""
    start, end = getattr(first, "end_lineno", 0), getattr(last, "lineno", 0)
    told = {one for call in own_calls(scope, *TELLING) for one in walk(call)}
    return any(
        written(one) == name
        and isinstance(getattr(one, "ctx", None), ast.Load)
        and start < getattr(one, "lineno", 0) < end
        and one not in told
        for one in own_nodes(scope)
    )


def is_number(value: ast.expr) -> bool:
    """Whether it is a number that is written out, or an infinity."""
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.Call):
        return last_name(value.func) == "float"
    if isinstance(value, ast.Attribute):
        return value.attr in ("inf", "Inf", "infty")
    return isinstance(value, ast.Constant) and not is_constant(value, None)


def is_new_each_time(module: Module, call: ast.Call) -> bool:
    """Whether the path that something is saved to is another in each run, or in each round.

    It has the time when the run began, or the number of the epoch.
    """
    given = [*call.args, *(one.value for one in call.keywords)]
    return any(tells_time(module, one, FAR) or tells_round(module, one) for one in given)


def tells_round(module: Module, value: ast.expr) -> bool:
    """Whether a text that is put together, or the name it has, holds the number of the round."""
    made = [value]
    if isinstance(value, ast.Name):
        given = module.value_in(value, module.function(value))
        made = [one for one in given if one.lineno < value.lineno][-1:]
    counted = [loop.target for loop in module.loops_around(value) if isinstance(loop, ast.For)]
    stores = (one for target in counted for one in walk(target) if has_context(one, ast.Store))
    names = set(map(written, stores)) - {""}
    return any(is_text(one) and any(written(n) in names for n in walk(one)) for one in made)


def has_context(node: ast.AST, kind: type[ast.expr_context]) -> bool:
    """Whether a name is read (Load), or given a value (Store)."""
    return isinstance(getattr(node, "ctx", None), kind)


def is_text(value: ast.expr) -> bool:
    """Whether it is a text that is put together of others: `os.path.join(folder, name)`."""
    if isinstance(value, ast.Call):
        return last_name(value.func) in ("format", "join", "str")
    return isinstance(value, ast.JoinedStr | ast.BinOp)


def tells_time(module: Module, value: ast.expr, depth: int) -> bool:
    """Whether a time has a part in an expression, or in what the names in it stand for."""
    if isinstance(value, ast.Dict) or not depth:
        return False
    if TIME.search(ast.unparse(value)):
        return True
    names = {one.id for one in walk(value) if isinstance(one, ast.Name)}
    return any(
        tells_time(module, one.value, depth - 1)
        for name in names
        for one in module.assigned.get(name, ())
    )


def compared(test: ast.expr) -> list[str]:
    """The names in a comparison that stand for the best so far."""
    sides = [s for n in walk(test) if isinstance(n, ast.Compare) for s in (n.left, *n.comparators)]
    return [written(side) for side in sides if written(side) and BEST.search(last_name(side))]


def saves_by_flag(module: Module) -> Iterator[tuple[ast.Assign, ast.Call, str]]:
    """(where a score is compared, what saves by the result, the best so far) in loops.

    `is_best = score > best` decides: it is given to the call that saves, or that is under it.
    """
    for name, statements in module.assigned.items():
        for statement in statements if "best" in name.lower() else ():
            loop = next(module.loops_around(statement), None)
            if loop is None or not isinstance(statement.value, ast.Compare | ast.BoolOp | ast.Call):
                continue
            for best in dict.fromkeys(compared(statement.value)):
                yield from (
                    (statement, call, best)
                    for call in own_calls(loop)
                    if "save" in last_name(call.func).lower()
                    and (is_given(call, name) or is_under(module, call, name))
                    and is_asked(loop, best)
                )


def is_given(call: ast.Call, name: str) -> bool:
    """Whether a name is an argument of a call."""
    return name in map(written, [*call.args, *(one.value for one in call.keywords)])


def is_under(module: Module, node: ast.AST, name: str) -> bool:
    """Whether a place is reached where a name is true: `if is_best:`."""
    return any(
        isinstance(around, ast.If)
        and written(around.test) == name
        and any(node in walk(statement) for statement in around.body)
        for around in module.ancestors(node)
    )
