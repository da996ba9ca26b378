"""Queries about syntax nodes that need no file."""

import ast
from collections.abc import Iterator
from functools import cache
from typing import Any

from .kept import kept

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
Loop = ast.For | ast.AsyncFor | ast.While
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OPAQUE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)

# What can hold no node that a rule looks at, for the sake of speed.
PLAIN_FIELDS = {
    "arg",
    "asname",
    "attr",
    "ctx",
    "id",
    "kind",
    "level",
    "module",
    "names",
    "op",
    "ops",
}
PLAIN_FIELDS |= {"type_comment", "type_ignores"}


@cache
def fields_of(kind: Any) -> tuple[str, ...]:
    """The fields in which nodes of a kind hold others."""
    return tuple(name for name in kind._fields if name not in PLAIN_FIELDS)


def children(node: Any) -> tuple[ast.AST, ...]:
    """The nodes right below, operators and the like left out."""
    try:
        known: tuple[ast.AST, ...] = node.below  # rules walk through the same code many times
    except AttributeError:
        known = node.below = tuple(in_fields(node))
    return known


def in_fields(node: ast.AST) -> list[ast.AST]:
    """The nodes in the fields of a node."""
    found: list[ast.AST] = []
    kind: Any = type(node)  # hashable, although typeshed disagrees
    for name in fields_of(kind):
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below: `ast.walk`, three times as fast."""
    pending = [node]
    for one in pending:  # it grows
        yield one
        pending += children(one)


@kept
def everything(node: ast.AST) -> tuple[ast.AST, ...]:
    """As `walk`, for what many rules walk through, such as a class."""
    return tuple(walk(node))


def written(node: ast.AST) -> str:
    """A name or an attribute as it stands in the code; empty for all else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = written(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name; empty where it has none."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Every node below, without those of functions and classes defined in it."""
    pending = list(children(scope))
    for node in pending:  # it grows
        yield node
        if not isinstance(node, OPAQUE):
            pending += children(node)


def own_calls(scope: ast.AST, *names: str) -> list[ast.Call]:
    """The calls of these methods or functions below, in the order of the lines."""
    return [call for call in _own_calls(scope) if not names or last_name(call.func) in names]


@kept  # many rules ask for the calls of the same functions
def _own_calls(scope: ast.AST) -> list[ast.Call]:
    found = [node for node in own_nodes(scope) if isinstance(node, ast.Call)]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def receiver(call: ast.Call) -> ast.expr | None:
    """What a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """The value of an argument by place or keyword."""
    if place < len(call.args):
        return call.args[place]
    return keyword(call, name)


def parameters(function: Function) -> list[str]:
    """The names that a caller's arguments fill in their order, but for the object's own."""
    return [one.arg for one in function.args.args if one.arg not in ("self", "cls")]


def defaults_of(function: Function) -> dict[str, ast.expr]:
    """The defaults of the parameters that may be given by their places."""
    taken = [*function.args.posonlyargs, *function.args.args]
    given = function.args.defaults
    names = [one.arg for one in taken[len(taken) - len(given) :]]
    return dict(zip(names, given, strict=True))


def has_stars(call: ast.Call) -> bool:
    """Whether `*args` or `**options` may hold any argument."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or any(k.arg is None for k in call.keywords)


def is_constant(node: ast.AST | None, *values: object) -> bool:
    """Whether it is one of these literals (True and 1 are told apart)."""
    if not isinstance(node, ast.Constant):
        return False
    return any(node.value == value and type(node.value) is type(value) for value in values)


def is_text(node: ast.AST | None) -> bool:
    """Whether it is a text that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value) of each name that is given one: two of `loss, error = a.item(), b.item()`."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def same(one: ast.AST | None, other: ast.AST | None) -> bool:
    """Whether two expressions are written alike."""
    if one is None or other is None:
        return False
    first, second = written(one), written(other)
    if first or second:
        return first == second
    return ast.unparse(one) == ast.unparse(other)


def mentions(node: ast.AST, *words: str) -> bool:
    """Whether a name, attribute, key or text below contains one of these words."""
    docstrings: set[ast.AST] = set()
    for child in walk(node):
        if isinstance(child, ast.Expr):
            docstrings.add(child.value)
        if isinstance(child, ast.Name):
            text = child.id
        elif isinstance(child, ast.Attribute):
            text = child.attr
        elif isinstance(child, ast.arg | ast.keyword):
            text = child.arg or ""
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            text = "" if child in docstrings else child.value
        else:
            continue
        lowered = text.lower()
        if any(word in lowered for word in words):
            return True
    return False


def blocks(scope: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements below a node that run one after the other."""
    for node in [scope, *own_nodes(scope)]:
        yield from blocks_of(node)


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements right below a node."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block


# statements after which nothing of their block is done
LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)


def asks_main(node: ast.AST) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and any(is_constant(n, "__main__") for n in walk(node.test))


def method_of(node: ast.ClassDef | None, name: str) -> Function | None:
    """The method that a class itself defines, once and under no condition."""
    body = node.body if node is not None else []
    found = [one for one in body if isinstance(one, FUNCTIONS) and one.name == name]
    return found[0] if len(found) == 1 else None
