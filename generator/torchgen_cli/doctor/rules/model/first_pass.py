"""Loops that end in their first pass."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import own_nodes, walk, written


@rule(
    "TG321",
    "the loop returns in its first iteration",
    why="""The `return` is in the body of the loop that sums up what it returns: only the first item
    counts, and the rest is never computed. Layers used there get no gradient and are never
    trained.""",
    remedy="align the `return` with the `for`",
    source="https://docs.python.org/3/reference/simple_stmts.html#the-return-statement",
    bad="""
from torch import nn


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1) for _ in range(4))

    def forward(self, x):
        out = self.branches[0](x)
        for branch in self.branches[1:]:
            out += branch(x)
            return out  # <--
""",
    good="""
from torch import nn


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1) for _ in range(4))

    def forward(self, x):
        out = self.branches[0](x)
        for branch in self.branches[1:]:
            out += branch(x)
        return out
""",
)
def only_once(module: Module) -> Iterator[ast.AST]:
    for loop in module.loops:
        last = loop.body[-1]
        if not isinstance(loop, ast.For) or not isinstance(last, ast.Return) or loop.orelse:
            continue
        if any(isinstance(n, ast.Continue | ast.Break | ast.Yield) for n in own_nodes(loop)):
            continue
        returned = {written(node) for node in walk(last) if isinstance(node, ast.Name)}
        if any(name in returned for s in loop.body[:-1] for name in grown(s)):
            yield last


def grown(statement: ast.stmt) -> Iterator[str]:
    """The names to which a statement adds: `out += x`, `out = layer(out)`, `out.append(x)`."""
    if isinstance(statement, ast.AugAssign):
        yield written(statement.target)
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(statement.value)):
            yield name
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        if isinstance(called, ast.Attribute) and called.attr in ("append", "extend"):
            yield written(called.value)
