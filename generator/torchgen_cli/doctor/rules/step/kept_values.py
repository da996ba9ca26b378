"""What a loop keeps of a loss: a sum, a list, or the number that it was made."""

import ast
from collections.abc import Iterator

from ...syntax import last_name, mentions, own_calls, own_nodes, pairs, receiver, same, written

# what gives a number without a graph
DROPPING = ("item", "detach", "float", "reduce", "gather", "cpu", "numpy")


def kept_value(node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """(what keeps, what is kept) of `total += x`, `total = total + x` and `history.append(x)`."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return node.target, node.value
    if (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)
        and same(node.targets[0], node.value.left)
    ):
        return node.targets[0], node.value.right
    if isinstance(node, ast.Call) and last_name(node.func) == "append" and len(node.args) == 1:
        return receiver(node), node.args[0]
    return None, None


def names_kept(value: ast.expr) -> set[str]:
    """The names that a collection keeps as they are: `no_grad` does not drop their graphs."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):  # of dictionaries
        return names_kept(value.left) | names_kept(value.right)
    if isinstance(value, ast.Tuple | ast.List | ast.Dict):
        items = value.values if isinstance(value, ast.Dict) else value.elts
        return set().union(*map(names_kept, items))
    return {written(value)} if isinstance(value, ast.Name | ast.Attribute) else set()


def bare_terms(value: ast.expr) -> Iterator[ast.expr]:
    """The names in a sum, product or collection, without what is otherwise called or converted."""
    if isinstance(value, ast.BinOp):
        yield from bare_terms(value.left)
        yield from bare_terms(value.right)
    elif isinstance(value, ast.Call) and last_name(value.func) in ("stack", "cat") and value.args:
        yield from bare_terms(value.args[0])
    elif isinstance(value, ast.Tuple | ast.List | ast.Dict):
        for item in value.values if isinstance(value, ast.Dict) else value.elts:
            yield from bare_terms(item)
    elif isinstance(value, ast.Name | ast.Attribute):
        yield value


def added(value: ast.expr) -> Iterator[ast.expr]:
    """The names in a sum that are added as they are, or with a number before them."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from added(value.left)
        yield from added(value.right)
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        yield from added(value.right)
        yield from added(value.left)
    elif isinstance(value, ast.Name | ast.Attribute):
        yield value


def rebound(scope: ast.AST, names: set[str], before: ast.AST) -> bool:
    """Whether the loss is made a plain number in between: `loss = loss.item()`."""
    lines = [call.lineno for call in own_calls(scope, "backward") if call.lineno < at_line(before)]
    computed = max(lines, default=at_line(before))
    return any(
        written(target) in names
        and (
            (isinstance(value, ast.Call) and mentions(value.func, *DROPPING))
            or (not isinstance(value, ast.BinOp) and computed < node.lineno < at_line(before))
        )
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign)
        for target, value in pairs(node)
    )


def at_line(node: ast.AST) -> int:
    """The line of a statement or an expression."""
    return getattr(node, "lineno", 0)
