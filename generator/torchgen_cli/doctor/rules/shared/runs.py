"""What a program runs, as far as the names in its code tell: a strict view, for what is certain."""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ...kept import kept
from ...lookup import definitions
from ...methods import Asked, asked_by, bases_of_libraries
from ...project import Module
from ...syntax import FUNCTIONS, Function, asks_main, children, last_name
from ...unreached import KNOWN_BASES
from .programs import run_at_start, starts

TRAINING = {"backward", "fit"}


class Steps(NamedTuple):
    """What a scope runs."""

    nodes: list[ast.AST]
    asked: list[Asked]
    """The methods that it asks for."""
    named: list[tuple[Module, Function | ast.ClassDef]]
    """The functions and classes that it names."""


# what a scope of a file runs; the last argument: whether that file is the one that is started
Look = Callable[[Module, ast.AST, bool], Steps]


def is_surely_run(module: Module, node: ast.AST) -> bool:
    """Whether a program comes to a place by names that its code spells out.

    So it is for all places where no program is seen to train.
    """
    near = module.project.near(module)
    return any(node in run_by(start) for start in starts(module)) or not is_traced(near[0])


@kept
def is_traced(first: Module) -> bool:
    """Whether a program of these files surely trains, so that the names tell what it runs."""
    begun = {start for one in first.project.near(first) for start in starts(one)}
    return any(
        isinstance(node, ast.Call) and last_name(node.func) in TRAINING
        for start in begun
        for node in run_by(start)
    )


@kept
def run_by(start: Module) -> frozenset[ast.AST]:
    """What a file comes to when it is started."""
    return frozenset(node for _, node in come_to(start, all_steps))


@kept
def all_steps(module: Module, scope: ast.AST, started: bool) -> Steps:
    """All that a scope runs."""
    return steps_of(module, all_nodes(scope, started))


def steps_of(module: Module, nodes: Iterable[ast.AST]) -> Steps:
    """What nodes that are run ask for and name."""
    nodes = list(nodes)
    asked = [one for node in nodes for one in asked_by(module, node)]
    return Steps(nodes, asked, [one for node in nodes for one in named(module, node)])


def all_nodes(scope: ast.AST, started: bool) -> Iterator[ast.AST]:
    """The nodes of a scope, but for what is run where the file alone is started."""
    pending: list[ast.AST] = [*(scope.body if isinstance(scope, FUNCTIONS) else children(scope))]
    for node in pending:  # it grows
        if asks_main(node) and not started:
            continue
        yield node
        pending += within(node)


def within(node: ast.AST) -> Iterable[ast.AST]:
    """What is run with a node: of a function the defaults, which are computed where it is made."""
    if isinstance(node, FUNCTIONS):
        defaults = (*node.args.defaults, *node.args.kw_defaults, *node.decorator_list)
        return [one for one in defaults if one is not None]
    return children(node)


def come_to(start: Module, look: Look) -> Iterator[tuple[Module, ast.AST]]:
    """What a file comes to when it is started, by what each scope runs."""
    files = run_at_start(start)
    alive: set[ast.AST] = set()
    made: set[ast.ClassDef] = set()
    asked: dict[str, list[Asked]] = defaultdict(list)
    pending: list[tuple[Module, ast.AST]] = [(one, one.tree) for one in files]
    while pending:
        for module, scope in pending:  # it grows
            steps = look(module, scope, module is start and scope is module.tree)
            yield from ((module, node) for node in steps.nodes)
            for one in steps.asked:
                asked[one.name].append(one)
            for other, definition in steps.named:
                if other in files and definition not in alive:
                    alive.add(definition)
                    if isinstance(definition, ast.ClassDef):
                        made.update(with_bases(other, definition))
                    else:
                        pending.append((other, definition))
        pending = [
            (module, method)
            for module in files
            for method in module.functions
            if method not in alive and is_run(module, method, made, asked)
        ]
        alive.update(method for _, method in pending)


def is_run(
    module: Module, method: Function, made: set[ast.ClassDef], asked: dict[str, list[Asked]]
) -> bool:
    """Whether a method is asked for, and its class is made."""
    owner = module.parents[method]
    if not isinstance(owner, ast.ClassDef) or owner not in made or method.name == "cuda":
        return False
    always = method.name.startswith("__") or method.name == "forward"
    always |= not bases_of_libraries(module.project, owner) <= KNOWN_BASES
    return always or any(one.may_be(owner, method) for one in asked.get(method.name, ()))


def with_bases(module: Module, node: ast.ClassDef, depth: int = 4) -> Iterator[ast.ClassDef]:
    """A class, and those of the project from which it derives."""
    yield node
    for base in node.bases if depth else ():
        for other, parent in module.project.classes_named(module, base) or ():
            yield from with_bases(other, parent, depth - 1)


def named(module: Module, node: ast.AST) -> Iterator[tuple[Module, Function | ast.ClassDef]]:
    """The functions and classes that a name stands for."""
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    project = module.project
    for other, kind in definitions(module, node, project.classes) or ():
        yield other, kind
    for other, function in definitions(module, node, project.functions) or ():
        inner = other is module and isinstance(node, ast.Name)
        if isinstance(other.parents[function], ast.Module) or (
            inner and not isinstance(owner_of(other, function), ast.ClassDef)
        ):
            yield other, function


def owner_of(module: Module, function: Function) -> ast.AST:
    """What defines a function: a class, another function, or the file."""
    kinds = (*FUNCTIONS, ast.ClassDef, ast.Module)
    return next(one for one in module.ancestors(function) if isinstance(one, kinds))
