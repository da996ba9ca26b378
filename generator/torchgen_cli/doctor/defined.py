"""What a file defines or imports at its top, and what it does not count on."""

import ast
import re
from collections.abc import Iterator

from .kept import kept
from .lookup import imported, path_of
from .project import Module, Project
from .syntax import LEAVING, asks_main, blocks_of, last_name, mentions

MAKES_NAMES = re.compile(
    rb"\bglobals\(\)|\blocals\(\)(\.update|\[)|\bvars\(\)|\bexec(file)?\(|\bsetattr\(builtins"
    rb"|\bsys\.modules\[__name__\]"
)
# what an undefined name, a wrong argument or a missing flag does not raise
OTHER_ERRORS = {"AssertionError", "EOFError", "FileNotFoundError", "IOError", "IndexError"}
OTHER_ERRORS |= {"KeyError", "KeyboardInterrupt", "OSError", "OutOfMemoryError", "PermissionError"}
OTHER_ERRORS |= {"RuntimeError", "StopIteration", "SystemExit", "ZeroDivisionError"}
# what a condition says that asks which Python or which release runs
ASKS = ("version", "type_checking", "py2", "py3")


@kept
def names_of(module: Module, depth: int = 3, started: bool = True) -> set[str] | None:
    """What a file defines or imports at its top; None where not all of it can be known.

    What it defines where it alone is started counts if `started`.
    """
    found = set(names_set_from_elsewhere(module.project))
    for source in module.starred:
        starred = names_of_starred(module, source, depth)
        if starred is None:
            return None
        found |= starred
    if b"global " in module.project.contents[module.name]:
        found.update(*(node.names for node in module.parents if isinstance(node, ast.Global)))
    for node in everything_at_the_top(module.tree, started):
        if isinstance(node, ast.Name):
            found |= {node.id} if not isinstance(node.ctx, ast.Load) else set()
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        else:
            found.add(getattr(node, "name", None) or getattr(node, "rest", None) or "")
    return found | files_beside(module)


def everything_at_the_top(tree: ast.AST, started: bool) -> Iterator[ast.AST]:
    """The nodes of a file that are in no function and no class."""
    pending = list(ast.iter_child_nodes(tree))
    for node in pending:  # it grows
        if isinstance(node, ast.If) and asks_main(node) and not started:
            other = isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.NotEq)
            pending += node.body if other else node.orelse
            continue
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def files_beside(module: Module) -> set[str]:
    """The files of a package, whose names it gets as soon as anything imports them."""
    folder, _, name = module.name.rpartition("/")
    if name != "__init__.py":
        return set()
    inner = len(path_of(module))
    paths = [path_of(one) for one in module.project.modules if one.name.startswith(f"{folder}/")]
    return {path[inner] for path in paths if len(path) > inner}


@kept
def names_set_from_elsewhere(project: Project) -> frozenset[str]:
    """What code gives to other files, or to all: `net.DEVICE = ...`, `builtins.log = ...`."""
    return frozenset(
        node.attr
        for module in project.modules
        for node in module.attributes
        if isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in (*module.imports, "__builtins__")
    )


def names_of_starred(module: Module, source: str, depth: int) -> set[str] | None:
    """What `from utils import *` brings; None where that file is not of the project."""
    files = [(other, other.tree) for other in module.project.modules if other is not module]
    named = source.rpartition(".")[2]
    # of a package its own file, and not those in it
    found = [other for other, _ in imported(module, source, files) if path_of(other)[-1] == named]
    if not depth or len(found) != 1:
        return None
    if MAKES_NAMES.search(module.project.contents[found[0].name]):
        return None
    return names_of(found[0], depth - 1, started=False)


def is_cared_for(module: Module, node: ast.AST) -> bool:
    """Whether an error is expected: in a `try`, for an old Python, or in an annotation."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Try) and is_caught(around, inner):
            return True
        items = around.items if isinstance(around, ast.With) else []
        if any(mentions(one.context_expr, "suppress", "raises") for one in items):
            return True
        asks = any(mentions(one, *ASKS) for one in asked_first(around, inner))
        noted = isinstance(around, ast.AnnAssign) and inner is around.annotation
        if asks or noted or isinstance(around, ast.arg):
            return True
        inner = around
    return module.is_fallback(node)


def asked_first(around: ast.AST, inner: ast.AST) -> list[ast.expr]:
    """The conditions on which what is around a part comes to that part, or passes over it."""
    if isinstance(around, ast.If | ast.IfExp):
        return [around.test, *left_before(around, inner)]
    if isinstance(around, ast.BoolOp):  # PY2 and isinstance(text, unicode)
        return [one for one in around.values[: around.values.index(inner)]]  # type: ignore[arg-type]
    return left_before(around, inner)


def left_before(around: ast.AST, inner: ast.AST) -> list[ast.expr]:
    """The conditions on which the statements before one leave its block."""
    block = next((one for one in blocks_of(around) if inner in one), [])
    before = block[: block.index(inner)] if block else []  # type: ignore[arg-type]
    return [
        one.test for one in before if isinstance(one, ast.If) and isinstance(one.body[-1], LEAVING)
    ]


def is_caught(around: ast.Try, inner: ast.AST) -> bool:
    """Whether a part of a `try` may fail in a way that its handlers expect."""
    return inner in around.body and any(
        one.type is None or not {last_name(kind) for kind in kinds(one.type)} <= OTHER_ERRORS
        for one in around.handlers
    )


def kinds(caught: ast.expr) -> list[ast.expr]:
    """The exceptions that a handler names."""
    return caught.elts if isinstance(caught, ast.Tuple) else [caught]
