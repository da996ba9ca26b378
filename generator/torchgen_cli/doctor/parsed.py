"""One parsed file, indexed once, and the queries that rules make."""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import PurePath
from typing import Any

from .syntax import (
    LOOPS,
    SCOPES,
    Function,
    Loop,
    Scope,
    blocks_of,
    children,
    last_name,
    mentions,
    receiver,
    walk,
    written,
)

OTHERS = {"chainer", "flax", "jax", "jittor", "keras", "mindspore", "mxnet", "oneflow", "paddle"}
OTHERS |= {"tensorflow"}
# folders of tests; an evaluation script called test.py is not a test
TEST_FOLDERS = {"test", "tests"}
IMPORTING = ("import_module", "__import__", "module_from_spec")


class ParsedFile:
    """A Python file, walked once."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        """Walk the tree once. `name` is the path below the project, with slashes."""
        self.name, self.tree = name, tree
        self.parents: dict[ast.AST, ast.AST] = {}
        self.calls: dict[str, list[ast.Call]] = defaultdict(list)
        """Calls by the last part of what is called: `torch.load(...)` is a `load`."""
        self.functions: list[Function] = []
        self.classes: list[ast.ClassDef] = []
        self.loops: list[Loop] = []
        self.imports: dict[str, str] = {}
        """What a name refers to: `nn` is "torch.nn"; a relative import begins with a dot."""
        self.import_statements: list[ast.Import | ast.ImportFrom] = []
        self.attributes: list[ast.Attribute] = []
        self.keywords: list[ast.keyword] = []
        self.assigned: dict[str, list[ast.Assign]] = defaultdict(list)
        """Plain assignments by target, as it is written: "model", "self.model"."""
        self._index()

    def _index(self) -> None:
        kept: dict[type, Callable[[Any], None]] = {
            ast.Call: lambda call: self.calls[last_name(call.func)].append(call),
            ast.Attribute: self.attributes.append,
            ast.keyword: self.keywords.append,
            ast.Assign: self._note_assignment,
            ast.FunctionDef: self.functions.append,
            ast.AsyncFunctionDef: self.functions.append,
            ast.ClassDef: self.classes.append,
            ast.For: self.loops.append,
            ast.AsyncFor: self.loops.append,
            ast.While: self.loops.append,
            ast.Import: self._note_import,
            ast.ImportFrom: self._note_import,
        }
        parents = self.parents
        pending: list[ast.AST] = [self.tree]
        for node in pending:  # it grows: breadth first
            below = children(node)
            for child in below:
                parents[child] = node
            pending += below
            note = kept.get(type(node))
            if note is not None:
                note(node)
        for node in self.classes:  # `class AdamW(optim.AdamW)` is still that optimizer
            if node.bases and self.is_torch(node.bases[0], node.name):
                self.imports[node.name] = self.qualified(node.bases[0])
        for calls in self.calls.values():
            calls.sort(key=lambda call: (call.lineno, call.col_offset))

    def _note_assignment(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name | ast.Attribute):
                self.assigned[written(target)].append(node)
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                # last, best = folder / "last.pt", folder / "best.pt"
                for one, value in zip(target.elts, node.value.elts, strict=False):
                    part = ast.copy_location(ast.Assign(targets=[one], value=value), node)
                    self.parents[part] = self.parents[node]
                    self._note_assignment(part)

    def _note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.import_statements.append(node)
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                self.imports[alias.asname or whole] = whole
        else:
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                self.imports[alias.asname or alias.name] = f"{base}.{alias.name}"

    @cached_property
    def is_test(self) -> bool:
        """Whether this is a test, and not training code."""
        path = PurePath(self.name)
        if path.name == "conftest.py" or TEST_FOLDERS.intersection(path.parent.parts):
            return True
        named = path.stem.startswith("test_") or path.stem.endswith("_test")
        own = any(function.name.startswith("test_") for function in self.functions)
        own &= "argparse" not in self.libraries  # which a program that tests a model asks
        return named and (own or not {"pytest", "unittest"}.isdisjoint(self.imports))

    @cached_property
    def is_foreign(self) -> bool:
        """Whether it is code for another library, with loops that look like those for torch."""
        return "torch" not in self.libraries and not OTHERS.isdisjoint(self.libraries)

    @cached_property
    def libraries(self) -> frozenset[str]:
        """The packages, or files of the project, from which it imports anything."""
        return frozenset(whole.partition(".")[0] for whole in self.imports.values())

    @cached_property
    def starred(self) -> list[str]:
        """The modules of which it imports all names; a relative one begins with a dot."""
        return [
            "." * statement.level + (statement.module or "")
            for statement in self.import_statements
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
        ]

    def qualified(self, node: ast.AST) -> str:
        """The dotted name with imports resolved: `F.dropout` is "torch.nn.functional.dropout"."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.qualified(node.value)
            return f"{base}.{node.attr}" if base else ""
        return ""

    def torch_calls(self, *names: str) -> Iterator[ast.Call]:
        """Calls of torch's functions with these names, from any module of torch."""
        for name in names:
            for call in self.calls.get(name, ()):
                if self.is_torch(call.func, name):
                    yield call
            for alias in self.torch_aliases.get(name, ()):
                calls = self.calls.get(alias, ())
                yield from (call for call in calls if isinstance(call.func, ast.Name))

    @cached_property
    def torch_aliases(self) -> dict[str, list[str]]:
        """Aliases of torch's names, as in `from torch.nn import DataParallel as DP`."""
        found = defaultdict(list)
        for alias, whole in self.imports.items():
            last = whole.rpartition(".")[2]
            if whole.startswith("torch.") and alias != last:
                found[last].append(alias)
        return found

    def is_torch(self, node: ast.AST, *names: str) -> bool:
        """Whether it belongs to torch and has one of these names (any name if none is given)."""
        whole = self.qualified(node)
        return whole.startswith("torch.") and (not names or whole.rpartition(".")[2] in names)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: ast.AST) -> Scope:
        """The innermost function or module around a node."""
        for around in self.ancestors(node):
            if isinstance(around, SCOPES):
                return around
        return self.tree

    def function(self, node: ast.AST) -> Function | ast.Module:
        """The innermost named function around a node, or else the module."""
        around = self.scope(node)
        while isinstance(around, ast.Lambda):
            around = self.scope(around)
        return around

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that a node is, or is in."""
        return next(n for n in (node, *self.ancestors(node)) if isinstance(n, ast.stmt))

    def following(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements after one in its block."""
        for block in blocks_of(self.parents[statement]):
            if statement in block:
                return block[block.index(statement) + 1 :]
        return []

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around a node."""
        return next((n for n in self.ancestors(node) if isinstance(n, ast.ClassDef)), None)

    def is_of_object(self, call: ast.Call) -> bool:
        """Whether a method is called on a variable of the file, or on what a call made."""
        owner = receiver(call)
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        if isinstance(owner, ast.Call):
            return last_name(owner.func) not in IMPORTING
        if not isinstance(owner, ast.Name) or owner.id in ("self", "cls", *self.imports):
            return False
        given = self.assigned.get(owner.id, ())
        if any(self._gives_module(one.value) for one in given):
            return False
        scopes = (one for one in self.ancestors(call) if isinstance(one, SCOPES[:3]))
        return bool(given) or any(
            owner.id == one.arg for scope in scopes for one in scope.args.args
        )

    def _gives_module(self, value: ast.expr) -> bool:
        """Whether a value may be a module: imported by name, or part of one."""
        if isinstance(value, ast.Name | ast.Attribute):
            return written(value).partition(".")[0] in self.imports
        calls = (node for node in walk(value) if isinstance(node, ast.Call))
        return any(last_name(one.func) in IMPORTING for one in calls)

    def loops_around(self, node: ast.AST) -> Iterator[Loop]:
        """The loops of the same function around a node, innermost first."""
        for around in self.ancestors(node):
            if isinstance(around, SCOPES):
                return
            if isinstance(around, LOOPS):
                yield around

    def is_fallback(self, node: ast.AST) -> bool:
        """Whether it runs only with an old torch: after an error, or where a name is missing."""
        asks = ("hasattr", "version", "torch_m", "_major")  # as TORCH_MAJOR
        return any(
            isinstance(around, ast.ExceptHandler)
            or (isinstance(around, ast.If | ast.IfExp) and mentions(around.test, *asks))
            for around in self.ancestors(node)
        )

    def value_in(self, name: ast.AST, scope: ast.AST) -> list[ast.expr]:
        """What is assigned to a name in a scope; for an attribute, in its class."""
        if isinstance(name, ast.Attribute):
            scope = self.class_of(name) or scope
        around = self.assigned.get(written(name), ())
        return [a.value for a in around if scope is self.tree or scope in self.ancestors(a)]
