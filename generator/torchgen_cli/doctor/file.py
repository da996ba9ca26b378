"""A parsed file, and what checks ask of it."""

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from .project import Project

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
BLOCKS = (ast.Module, *FUNCTIONS, *LOOPS, ast.If, ast.With, ast.Try)


class File:
    """A parsed file. Names are resolved through its imports and through one assignment."""

    def __init__(self, text: str, project: Project) -> None:
        """Parse it; raises `SyntaxError`, `ValueError` or `RecursionError`."""
        self.text, self.project = text, project
        self.tree = ast.parse(text)
        self.parents: dict[ast.AST, ast.AST] = {}
        self._order: dict[ast.AST, int] = {}
        self._end: dict[ast.AST, int] = {}
        self._kinds: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        self._add(self.tree)
        self.imports: dict[str, str] = {}
        for node in self.all(ast.Import, ast.ImportFrom):
            for one in node.names:
                root = one.name.partition(".")[0]
                if isinstance(node, ast.Import):
                    self.imports[one.asname or root] = one.name if one.asname else root
                elif node.module and not node.level:
                    self.imports[one.asname or one.name] = f"{node.module}.{one.name}"

    def _add(self, node: ast.AST) -> None:
        self._order[node] = len(self._order)
        self._kinds[type(node)].append(node)
        for field in node._fields:  # as ast.iter_child_nodes, in two thirds of the time
            value = getattr(node, field, None)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST) and child not in self._order:  # ast shares operators
                    self.parents[child] = node
                    self._add(child)
        self._end[node] = len(self._order)

    def all(self, *kinds: type[ast.AST], within: ast.AST | None = None) -> list[Any]:
        """The nodes of these kinds, of the file or of a node and below, as they stand there."""
        place = self._order.__getitem__
        first, end = place(within or self.tree), self._end[within or self.tree]
        found: list[ast.AST] = []
        for kind in kinds:
            nodes = self._kinds[kind]
            found += nodes[
                bisect_left(nodes, first, key=place) : bisect_left(nodes, end, key=place)
            ]
        return sorted(found, key=place) if len(kinds) > 1 else found

    def dotted(self, node: ast.AST | None) -> str:
        """The whole name through imports, `torch.nn.functional.dropout`; "" for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imports.get(node.id, node.id), *reversed(parts)])

    def calls(self, *names: str, within: ast.AST | None = None) -> list[ast.Call]:
        """Calls of these whole names, and of methods, `.backward`, as they stand there."""
        calls = self.all(ast.Call, within=within)
        return [c for c in calls if f".{method(c)}" in names or self.dotted(c.func) in names]

    def receiver(self, call: ast.Call) -> str:
        """`self.optimizer` of `self.optimizer.step()`."""
        return self.dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""

    def above(self, node: ast.AST) -> Iterator[Any]:
        """The nodes around a node, the nearest first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def around(self, node: ast.AST, *kinds: type[ast.AST]) -> Any:
        """The nearest node of these kinds around a node; or None."""
        return next((one for one in self.above(node) if isinstance(one, kinds)), None)

    def scope(self, node: ast.AST) -> Any:
        """The function around a node, or the whole file."""
        return self.around(node, *FUNCTIONS) or self.tree

    @cached_property
    def _assigned(self) -> dict[str, list[tuple[Any, ast.expr | None]]]:
        """By name: the statements that assign to it, and the value; None if it is another kind."""
        found = defaultdict(list)
        for node in self.all(ast.Name, ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                parent: Any = self.parents[node]
                plain = isinstance(parent, ast.Assign | ast.AnnAssign)
                statement = parent if plain else self.around(node, ast.stmt)
                found[self.dotted(node)].append((statement, parent.value if plain else None))
        return found

    def local_value(self, node: ast.expr) -> ast.expr:
        """What a name stands for here, where its function surely assigned it last; or itself."""
        for statement, value in reversed(self._assigned.get(self.dotted(node), [])):
            before = self._end[statement] <= self._order[node]
            if before and self.scope(statement) is self.scope(node):
                sure = value is not None and self.parents[statement] in self.above(node)
                return value if value is not None and sure else node
        return node

    def value(self, node: ast.expr) -> ast.expr:
        """What a name stands for, if its function or else the whole file assigns it once."""
        found = self._assigned.get(self.dotted(node), [])
        own = [one for one in found if self.scope(one[0]) is self.scope(node)]
        values = [value for _, value in own or found]
        return values[0] or node if len(values) == 1 else node

    def values(self, node: ast.expr) -> list[ast.expr | None]:
        """All that a name is assigned in the file."""
        return [value for _, value in self._assigned.get(self.dotted(node), [])]

    def made_by(self, node: ast.expr) -> str:
        """The whole name of what a value is made by: `torch.nn.Linear`; "" if unknown."""
        value = self.value(node)
        while isinstance(value, ast.Call) and method(value) in ("to", "cuda", "cpu"):
            value = value.func.value  # type: ignore[attr-defined]
        if not isinstance(value, ast.Call):
            return ""
        return self.dotted(value.func) or f".{method(value)}"

    @cached_property
    def modules(self) -> dict[str, ast.ClassDef]:
        """The classes that derive from `nn.Module`, through classes of this file too."""
        found: dict[str, ast.ClassDef] = {}
        for node in 2 * self.all(ast.ClassDef):  # a base may stand below
            bases = [self.dotted(base) for base in node.bases]
            if any(base.endswith("nn.Module") or base in found for base in bases):
                found[node.name] = node
        return found

    def methods(self, name: str) -> list[tuple[ast.ClassDef, Any]]:
        """The methods of this name of the module classes."""
        parts = ((cls, part) for cls in self.modules.values() for part in cls.body)
        return [one for one in parts if getattr(one[1], "name", "") == name]

    def blocks(self) -> Iterator[list[ast.stmt]]:
        """Every list of statements."""
        for node in self.all(*BLOCKS):
            for field in ("body", "orelse", "finalbody"):
                yield getattr(node, field, None) or []

    @cached_property
    def calls_in_order(self) -> list[list[ast.Call]]:
        """The calls of each block's simple statements, and the backward passes of the others."""
        simple, found = (ast.Expr, ast.Assign, ast.AugAssign), []
        for block in self.blocks():
            calls = [(one, call) for one in block for call in self.all(ast.Call, within=one)]
            kept = [c for one, c in calls if isinstance(one, simple) or method(c) == "backward"]
            found.append(kept)
        return found

    def is_step(self, call: ast.Call) -> bool:
        """Whether a call steps an optimizer: `optimizer.step()`, `scaler.step(optimizer)`."""
        owner = words(call.func) if method(call) == "step" else ""
        return (
            "optim" in owner or owner.startswith("opt") or ("scaler" in owner and bool(call.args))
        )


def method(call: ast.Call) -> str:
    """`step` of `self.optimizer.step()`; "" for a plain function."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def keyword(call: ast.Call, name: str, position: int = 99) -> ast.expr | None:
    """An argument by its name, or by its position."""
    given = {one.arg: one.value for one in call.keywords}
    return given.get(name) or next(iter(call.args[position:]), None)


def has_keyword(call: ast.Call, *names: str) -> bool:
    """Whether one of these is given by name, or may be in `**options`."""
    return any(one.arg is None or one.arg in names for one in call.keywords)


def constant(node: ast.AST | None) -> object:
    """The value of a constant, without a minus; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return node.value if isinstance(node, ast.Constant) else None


def words(node: ast.AST | None) -> str:
    """The code of a node in lower case, to look for words in it."""
    return ast.unparse(node).lower() if node is not None else ""


def last(dotted: str) -> str:
    """`step` of `self.optimizer.step`."""
    return dotted.rpartition(".")[2]
