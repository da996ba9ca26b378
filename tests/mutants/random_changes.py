"""Random small changes of code: an operator, a constant, a call left out.

Each is made in the text, so that all else stays as it was written. What only words a message, names
a type, asserts or documents is left alone, and so is a line that only matters on a GPU, on
Windows or among several processes, and a number that stands under a name for the user to edit.
"""

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OTHER_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
OTHER_OPERATOR: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.Pow: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
    ast.RShift: "<<",
    ast.LShift: ">>",
}
NEEDS_MORE = re.compile(
    "cuda|cudnn|pin_memory|non_blocking|memory_format"  # a GPU
    "|msvcrt"  # Windows
    r"|distributed\.(broadcast_buffers|check_parts|read_parts)"  # several processes
)
UNTOLD = (
    "print",
    "write",
    "tell",
    "UserError",
    "DataError",
    "FlagError",
    "CheckpointError",
    "flush",
)


@dataclass(frozen=True)
class Change:
    """A piece of a file's text, by its places, and what stands there instead."""

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before!r} -> {self.after!r}"

    def make(self, package: Path) -> None:
        """Make it in a project's package."""
        path = package / self.file
        text = path.read_text(encoding="utf-8")
        assert text[self.start : self.end] == self.before
        path.write_text(text[: self.start] + self.after + text[self.end :], encoding="utf-8")


def changes(package: Path, file: str) -> list[Change]:
    """All changes of a file."""
    text = (package / file).read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    begins = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def place(line: int, column: int) -> int:  # ast counts columns in bytes of UTF-8
        return begins[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = []
    for node, after in alternatives(ast.parse(text)):
        if NEEDS_MORE.search(lines[node.lineno - 1]):
            continue
        start = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        found.append(Change(file, node.lineno, start, end, text[start:end], after))
    return found


def alternatives(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Each expression or statement below that can be changed, with another text for it."""
    for child in kept(node):
        match child:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                other = OTHER_COMPARISON[type(op)]
                yield child, f"{ast.unparse(left)} {other} {ast.unparse(right)}"
            case ast.BinOp(right=ast.Constant(value=str())):
                pass  # a path
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER_OPERATOR:
                other = OTHER_OPERATOR[type(op)]
                yield child, f"({ast.unparse(left)}) {other} ({ast.unparse(right)})"
            case ast.BoolOp(op=op, values=values):
                word = " or " if isinstance(op, ast.And) else " and "
                yield child, "(" + word.join(f"({ast.unparse(v)})" for v in values) + ")"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield child, f"bool({ast.unparse(operand)})"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                parts = (ast.unparse(orelse), ast.unparse(test), ast.unparse(body))
                yield child, "({} if {} else {})".format(*parts)
            case ast.Constant(value=bool(value)):
                yield child, str(not value)
            case ast.Constant(value=int(value) | float(value)):
                yield child, str(value + 1)
            case ast.Expr(value=ast.Call(func=func)) if not tells(func):
                yield child, "pass"
        yield from alternatives(child)


def kept(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node that decide what the code does."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant):
        return  # the default of a setting, which is the user's choice
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return  # zip's own assertion
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_params", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            words = isinstance(child, ast.JoinedStr | ast.Raise | ast.Assert | ast.ImportFrom)
            told = isinstance(child, ast.Call) and tells(child.func)
            assigned = child.value if isinstance(child, ast.Assign) else None
            edited = isinstance(node, ast.Module) and isinstance(assigned, ast.Constant)
            if isinstance(child, ast.AST) and not words and not told and not edited:
                yield child


def tells(function: ast.expr) -> bool:
    """Whether a call of this function tells something, or joins the words of it."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Constant):
        return function.attr == "join"
    return name_of(function) in UNTOLD


def name_of(function: ast.expr) -> str:
    """The last part of a called name."""
    return ast.unparse(function).rpartition(".")[2]


def draw(package: Path, count: int, seed: int) -> list[Change]:
    """Changes drawn from all files of the core but the model: another one is not wrong."""
    files = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    others = ("verify/", "replay.py", "model.py")
    every = [c for file in files if not file.startswith(others) for c in changes(package, file)]
    return random.Random(seed).sample(every, count)
