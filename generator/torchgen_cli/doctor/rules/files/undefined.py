"""Names that nothing defines."""

import ast
import builtins
import difflib
import keyword
import re
import symtable
import warnings
from collections import defaultdict
from collections.abc import Iterator

from ...aside import OLD_SYNTAX, is_aside
from ...defined import MAKES_NAMES, is_cared_for, names_of
from ...documents import documents
from ...kept import kept
from ...project import Module, Project
from ...rule import Spot, rule
from ...syntax import SCOPES, blocks_of, is_constant, last_name, own_calls, walk
from ..shared.programs import starts
from ..shared.runs import run_by
from ..shared.switched_off import is_switched_off
from .scopes import nodes_of, scope_of, scopes

TRAINING = ("backward", "eval", "step", "zero_grad")
EXCERPT = 8  # names that are missing in one file
ENDING = ("_exit", "exit", "quit")
# names that tools put beside Python's own, and that a module has without defining them
GIVEN = {"__file__", "__name__", "__doc__", "__path__", "__spec__", "__package__", "__loader__"}
GIVEN |= {"__class__", "__builtins__", "profile", "display", "get_ipython", "reveal_type", "_"}
GIVEN |= {"WindowsError", "__annotations__", "__module__", "__qualname__", "dbutils", "snakemake"}
# what Python 2 has beside them
OLD = {"basestring", "cmp", "execfile", "file", "long", "raw_input", "reduce", "reload", "unichr"}
OLD |= {"unicode", "xrange"}
ASKS_FOR_OLD = re.compile(rb"python[\s\-:=<>~v*_`]*2\b", re.I)
ASKS_FOR_NEW = re.compile(rb"python[\s\-:=<>~v*_`]*3|python[^\n]{0,20}[/,&] ?3", re.I)


@rule(
    "TG004",
    "this name is not defined",
    why="""Neither the function, the file, its imports nor Python defines the name: a NameError as
    soon as the line is reached, which may be after hours of training. It is a hint in a function
    that neither trains nor evaluates: most such functions, or their branches, are left over, and
    nobody runs them. So it is where the name is a line of its own, which can only be meant to stop
    the program.""",
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
    if known is None or table is None or module.name.endswith(".ipynb") or is_executed(module):
        return
    started = known - (names_of(module, started=False) or set())
    known = known - started | set(dir(builtins)) | GIVEN
    read: dict[str, list[ast.Name]] = defaultdict(list)
    for scope in scopes(table):
        for symbol in scope.get_symbols():
            name = symbol.get_name()
            if symbol.is_referenced() and symbol.is_global() and name not in known:
                read[name] += places_of(module, name, scope)
    for name in started & read.keys():
        read[name] = [one for one in read[name] if is_run_by_others(module, one)]
    found = {name: first_of(module, nodes) for name, nodes in read.items() if nodes}
    excerpt = len(found) >= EXCERPT  # of a program that is not here
    old = is_of_python_2(module.project)
    for name, node in found.items():
        rare = reports_an_error(module, node) or follows_none(module, node)
        rare = rare or is_switched_off(module, node) or stops_there(module, node)
        rare = rare or is_beside_training(module, node)
        unsure = rare or excerpt or old == "all" or (name in OLD and bool(old))
        yield Spot(node, name, unsure)


def is_beside_training(module: Module, node: ast.AST) -> bool:
    """Whether it is in a function that neither trains nor evaluates."""
    scope = module.function(node)
    return scope is not module.tree and not own_calls(scope, *TRAINING)


def first_of(module: Module, nodes: list[ast.Name]) -> ast.Name:
    """The first place that a run comes to, as far as can be seen."""
    nodes = sorted(nodes, key=lambda node: node.lineno)
    return next((one for one in nodes if not is_aside(module, one)), nodes[0])


def is_executed(module: Module) -> bool:
    """Whether another file may execute this one, of plain settings, among its own names."""
    bare = not (module.functions or module.classes or module.import_statements)
    return bare and any(map(module.project.contains, (b"exec(", b"execfile(")))


def is_run_by_others(module: Module, node: ast.AST) -> bool:
    """Whether a program that imports the file comes to a place in it."""
    return any(node in run_by(one) for one in starts(module) if one is not module)


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


def places_of(module: Module, name: str, scope: symtable.SymbolTable) -> list[ast.Name]:
    """Where a scope reads a name, if nothing sees to it that the name may be missing."""
    around = nodes_of(module, scope)
    read = [
        node
        for node in walk(module.tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        if scope_of(module, node) in around
    ]
    asked = re.compile(rb"""["']%s["']\s+(not\s+)?in\s+(locals|dir)\(""" % name.encode())
    if any(is_cared_for(module, one) for one in read):
        return []
    return [] if asked.search(module.project.contents[module.name]) else read


@kept
def is_of_python_2(project: Project) -> str:
    """Whether "all" of a project is for Python 2, or some names are; empty where none is."""
    if any(OLD_SYNTAX.search(message) for _, message in project.broken.values()):
        return "all"
    pages = documents(project.root)
    return "some" if ASKS_FOR_OLD.search(pages) and not ASKS_FOR_NEW.search(pages) else ""


def reports_an_error(module: Module, node: ast.Name) -> bool:
    """Whether it is read where the program ends, or warns, anyhow."""
    inner: ast.AST = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Call) and last_name(around.func) in ("warn", *ENDING):
            return True
        if isinstance(around, ast.Assert) and inner is around.msg:
            return True
        if isinstance(around, SCOPES):
            return False
        block = next((one for one in blocks_of(around) if inner in one), [])
        if isinstance(around, ast.Raise) or (block and ends(block[-1])):
            return True
        inner = around
    return False


def stops_there(module: Module, node: ast.Name) -> bool:
    """Whether it is a statement of its own, which can only stop the program: a line `asdf`."""
    misspelled = difflib.get_close_matches(node.id, keyword.kwlist, cutoff=0.75)  # brak
    return isinstance(module.parents[node], ast.Expr) and not misspelled


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
