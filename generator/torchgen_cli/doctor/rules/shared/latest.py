"""What a name was last given before a place, where every path to the place gives it."""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, LOOPS, last_name, own_nodes, receiver, written

BLOCKS = ("body", "orelse", "finalbody", "handlers")
# what changes the shape or the type of a tensor, and not its values
RESHAPING = {"contiguous", "double", "flatten", "float", "permute", "reshape", "squeeze"}
RESHAPING |= {"to", "transpose", "unsqueeze", "view", "cuda", "cpu", "clone"}


def latest(module: Module, place: ast.AST, name: str) -> ast.expr | None:
    """The value that a name surely has at a place; None where nothing or more than one tells."""
    below = place
    for around in module.ancestors(place):
        if isinstance(around, LOOPS) and below not in (getattr(around, "iter", None),):
            before = given_before(around, below, name)
            if before is not None or any(gives(one, name) for one in [around, *own_nodes(around)]):
                return before if isinstance(before, ast.expr) else None
        elif isinstance(below, ast.stmt | ast.ExceptHandler):
            before = given_before(around, below, name)
            if before is not None:
                return before if isinstance(before, ast.expr) else None
        if isinstance(around, (*FUNCTIONS, ast.ClassDef, ast.Lambda, ast.Module)):
            return None
        below = around
    return None


def given_before(around: ast.AST, statement: ast.AST, name: str) -> ast.AST | None:
    """What the statements before one in its block give a name; no expression where unsure."""
    for field in BLOCKS:
        block = getattr(around, field, None)
        if isinstance(block, list) and statement in block:
            return value_of(block[: block.index(statement)], name)
    return None


def value_of(block: list[ast.stmt], name: str) -> ast.AST | None:
    """As `given_before`, of all statements of a block."""
    for one in reversed(block):
        if isinstance(one, ast.Assign) and name in map(written, one.targets):
            return one.value
        if isinstance(one, ast.Assign) and (value := unpacked(one, name)) is not None:
            return value
        if isinstance(one, ast.With):
            inner = value_of(one.body, name)
            if inner is not None:
                return inner
        if any(gives(node, name) for node in [one, *own_nodes(one)]):
            return one
    return None


def unpacked(statement: ast.Assign, name: str) -> ast.expr | None:
    """What a name gets of `x, y = x.to(device), y.to(device)`."""
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    pairs = zip(target.elts, value.elts, strict=False)
    return next((got for one, got in pairs if written(one) == name), None)


def gives(node: ast.AST, name: str) -> bool:
    """Whether a name gets a value: by an assignment, a loop, `with` or `del`."""
    return (
        isinstance(node, ast.Name | ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and written(node) == name
    )


def unshaped(module: Module, value: ast.expr, place: ast.AST, depth: int = 3) -> ast.expr:
    """What a value is made of, with its shape put aside: `torch.sigmoid(x)[:, 0].view(-1)`."""
    while True:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Call) and last_name(value.func) in RESHAPING:
            inner = receiver(value)
            if inner is None or module.qualified(inner).partition(".")[0] == "torch":
                inner = value.args[0] if value.args else None
            if inner is None:
                return value
            value = inner
        elif isinstance(value, ast.Name) and depth:
            given = latest(module, place, value.id)
            if given is None:
                return value
            return unshaped(module, given, given, depth - 1)
        else:
            return value
