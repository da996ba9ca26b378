"""Names and calls that a program has provided for, where a library of these years lacks them."""

import ast
from collections.abc import Iterator

from ...defined import asked_first
from ...kept import kept
from ...lookup import path_of
from ...project import Module, Project
from ...syntax import FUNCTIONS, last_name, mentions, pairs, walk, written

# what a condition says that asks which release runs, or what it has
ASKS = ("version", "hasattr", "signature", "torch_m", "torch_after", "_major", "py2", "py3")


def is_for_a_release(module: Module, node: ast.AST) -> bool:
    """Whether it runs with some releases only, which the code asks for, or for type checkers."""
    return module.is_fallback(node) or any(
        asks_for_a_release(module, test) for test in asked_before(module, node)
    )


def asks_for_a_release(module: Module, test: ast.expr) -> bool:
    """Whether a condition, or what a name in it was given, is about a release."""
    if mentions(test, *ASKS) or last_name(test) == "TYPE_CHECKING":
        return True
    names = (one for one in walk(test) if isinstance(one, ast.Name | ast.Attribute))
    return any(
        mentions(given.value, *ASKS)
        for name in names
        for given in module.assigned.get(written(name), ())
    )


def asked_before(module: Module, node: ast.AST) -> Iterator[ast.expr]:
    """The conditions under which a place is reached: around it, or that leave before it."""
    below: ast.AST = node
    for around in module.ancestors(node):
        yield from asked_first(around, below)
        if isinstance(around, FUNCTIONS):
            return
        below = around


def is_caught(module: Module, node: ast.AST, *errors: str) -> bool:
    """Whether it is tried, and something else is done where these errors are raised."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Try) and inner in around.body:
            for one in around.handlers:
                named = one.type is not None and mentions(one.type, *errors)
                if named or does_the_same(inner, one):
                    return True
        inner = around
    return False


def does_the_same(tried: ast.AST, handler: ast.ExceptHandler) -> bool:
    """Whether a handler of all errors assigns what is tried to assign, or returns as that does."""
    if handler.type is not None and last_name(handler.type) != "Exception":
        return False
    names = {written(target) for target, _ in assigned_in(tried)} - {""}
    again = {written(t) for one in handler.body for t, value in assigned_in(one) if computes(value)}
    returns = isinstance(tried, ast.Return) and isinstance(handler.body[-1], ast.Return)
    return returns or not names.isdisjoint(again)


def computes(value: ast.expr) -> bool:
    """Whether a value is more than a constant, such as the None that stands for a failure."""
    return any(isinstance(one, ast.Call | ast.Name) for one in walk(value))


def assigned_in(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value) of what a statement assigns."""
    if isinstance(statement, ast.Assign):
        yield from pairs(statement)


def library_name(module: Module, node: ast.AST) -> str:
    """The dotted name of what a library has; empty for a variable that is called like one."""
    whole = module.qualified(node)
    while isinstance(node, ast.Attribute):
        node = node.value
    return whole if isinstance(node, ast.Name) and node.id in module.imports else ""


def is_own(module: Module, name: str) -> bool:
    """Whether the project defines a library's name itself: `np.float = float`, or its modules."""
    project = module.project
    owner, root = name.rpartition(".")[0], name.partition(".")[0]
    given = names_given(project)
    return name in given or f"{owner}.*" in given or shadows(module, root)


def shadows(module: Module, root: str) -> bool:
    """Whether an import of a library brings a file or folder of the project's, as its copy."""
    project = module.project
    if root not in project.own_parts:
        return False
    beside = [*path_of(module)[:-1], root]
    paths = [path_of(other) for other in project.modules]
    return any(path[: len(beside)] == beside or path[0] == root for path in paths)


@kept
def names_given(project: Project) -> frozenset[str]:
    """The names of libraries to which the code gives a value; with a star for all of a module."""
    found = set()
    for module in project.modules:
        for target, statements in module.assigned.items():
            if "." in target and target.partition(".")[0] in module.imports:
                targets = (one for node in statements for one in node.targets)
                found |= {module.qualified(one) for one in targets}
        for call in module.calls.get("setattr", ()):
            if len(call.args) == 3:
                owner = module.qualified(call.args[0])
                name = getattr(call.args[1], "value", "")
                found.add(f"{owner}.{name if isinstance(name, str) and name else '*'}")
    return frozenset(found)
