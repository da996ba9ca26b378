"""Names that nothing defines."""

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator

from ...aside import OLD_SYNTAX
from ...defined import MAKES_NAMES, is_cared_for, names_of
from ...project import Module
from ...rule import Spot, rule
from ...syntax import SCOPES, blocks_of, is_constant, last_name, walk
from .scopes import nodes_of, scope_of, scopes

EXCERPT = 8  # names that are missing in one file
ENDING = ("_exit", "exit", "quit")
# names that tools put beside Python's own, and that a module has without defining them
GIVEN = {"__file__", "__name__", "__doc__", "__path__", "__spec__", "__package__", "__loader__"}
GIVEN |= {"__class__", "__builtins__", "profile", "display", "get_ipython", "reveal_type", "_"}
GIVEN |= {"WindowsError", "__annotations__", "__module__", "__qualname__"}


@rule(
    "TG004",
    "this name is not defined",
    why="""Neither the function, the file, its imports nor Python defines the name: a NameError as
    soon as the line is reached, which may be after hours of training.""",
    remedy="define or import it, or correct the name",
    source="https://docs.python.org/3/library/exceptions.html#NameError",
    bad="""
import torch


def validate(model, batches):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for images, labels in batches:
            right += (model(images).argmax(1) == labels).sum().item()
            total += len(labels)
    return right / count  # <--
""",
    good="""
import torch


def validate(model, batches):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for images, labels in batches:
            right += (model(images).argmax(1) == labels).sum().item()
            total += len(labels)
    return right / total
""",
)
def undefined(module: Module) -> Iterator[Spot]:
    known = names_of(module)
    table = table_of(module)
    if known is None or table is None or module.name.endswith(".ipynb"):
        return
    known |= set(dir(builtins)) | GIVEN
    found: dict[str, tuple[ast.Name, bool]] = {}
    for scope in scopes(table):
        for symbol in scope.get_symbols():
            name = symbol.get_name()
            unknown = symbol.is_referenced() and symbol.is_global() and name not in known
            if unknown and name not in found and (node := place_of(module, name, scope)):
                rare = reports_an_error(module, node) or follows_none(module, node)
                found[name] = node, rare or is_of_python_2(module)
    excerpt = len(found) >= EXCERPT  # of a program that is not here
    yield from (Spot(node, name, rare or excerpt) for name, (node, rare) in found.items())


def table_of(module: Module) -> symtable.SymbolTable | None:
    """Python's own table of a file's scopes; None where the file is not Python as it stands."""
    text = module.project.contents[module.name]
    if MAKES_NAMES.search(text):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of literals that `is` compares
        try:
            return symtable.symtable(text.decode("utf-8", "replace"), module.name, "exec")
        except (SyntaxError, ValueError, RecursionError):
            return None


def place_of(module: Module, name: str, scope: symtable.SymbolTable) -> ast.Name | None:
    """Where a scope reads a name, if nothing sees to it that the name may be missing."""
    around = nodes_of(module, scope)
    read = [
        node
        for node in walk(module.tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        if scope_of(module, node) in around
    ]
    cared_for = any(is_cared_for(module, node) for node in read)
    return None if cared_for else min(read, key=lambda node: node.lineno, default=None)


def is_of_python_2(module: Module) -> bool:
    """Whether other files of the project are read by Python 2 alone."""
    return any(OLD_SYNTAX.search(message) for _, message in module.project.broken.values())


def reports_an_error(module: Module, node: ast.Name) -> bool:
    """Whether it is read where the program ends, or warns, anyhow."""
    inner: ast.AST = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Call) and last_name(around.func) in ("warn", *ENDING):
            return True
        if isinstance(around, SCOPES):
            return False
        block = next((one for one in blocks_of(around) if inner in one), [])
        if isinstance(around, ast.Raise) or (block and ends(block[-1])):
            return True
        inner = around
    return False


def follows_none(module: Module, node: ast.Name) -> bool:
    """Whether it is asked for only where an option is given: `name is None or known(name)`."""
    inner: ast.AST = node
    for around in module.ancestors(node):
        before = around.values if isinstance(around, ast.BoolOp) else []
        for one in before:
            if one is inner:
                break
            if isinstance(one, ast.Compare) and is_constant(one.comparators[0], None):
                return True
        if not isinstance(around, ast.expr):
            return False
        inner = around
    return False


def ends(statement: ast.stmt) -> bool:
    """Whether a statement ends the program."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    exits = isinstance(call, ast.Call) and last_name(call.func) in ENDING
    return exits or isinstance(statement, ast.Raise)
