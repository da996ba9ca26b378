"""Best scores that begin anew: what is saved by them, and what else may set them."""

import ast
from collections.abc import Iterator

from ...methods import family
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    Loop,
    everything,
    is_constant,
    own_nodes,
    pairs,
    walk,
    written,
)
from ..shared.loops import repeated
from .best_read import compared, is_number


def chosen_saves(module: Module) -> Iterator[tuple[ast.If, ast.Call, str, Loop | Function]]:
    """(the condition, the save below it, the best so far, the loop) where a score is compared.

    In place of the loop it is the method that one calls in each of its rounds.
    """
    for name, calls in module.calls.items():
        for call in calls if "save" in name else ():
            node = next((one for one in module.ancestors(call) if isinstance(one, ast.If)), None)
            loops = list(module.loops_around(call))
            method = module.function(call)
            if loops and node is not None and any(node is one for one in walk(loops[0])):
                for best in compared(node.test):
                    if is_updated(module, loops[0], node, best):
                        yield node, call, best, loops[-1]
            elif not loops and node is not None and isinstance(method, FUNCTIONS):
                for best in compared(node.test):
                    again = best.startswith("self.") and repeated(module, node)
                    if again and is_updated(module, method, node, best):
                        yield node, call, best, method


def is_updated(module: Module, loop: ast.AST, node: ast.If, name: str) -> bool:
    """Whether a condition sets the best, or another one of the loop that asks the same."""
    return any(
        isinstance(other, ast.If)
        and (other is node or name in compared(other.test))
        and sets(other.body, name)
        for other in walk(loop)
    )


def sets(body: list[ast.stmt], name: str) -> bool:
    """Whether one of the statements gives a name another value."""
    return any(
        isinstance(one, ast.Assign) and name in targets_of(one)
        for statement in body
        for one in walk(statement)
    )


def targets_of(node: ast.Assign) -> set[str]:
    """The names that an assignment sets, also several at once."""
    return {
        written(one)
        for target in node.targets
        for one in (target.elts if isinstance(target, ast.Tuple) else [target])
    }


def begins_anew(module: Module, test: ast.stmt, name: str, rounds: ast.AST) -> bool:
    """Whether a name is a plain number until a condition sets it, in a loop or its function."""
    within = set(walk(rounds))
    around = module.class_of(test) if "." in name else module.function(test)
    if around is None or ("." in name and not name.startswith("self.")):
        return False
    first = [
        node
        for node in (walk(around) if "." in name else own_nodes(around))
        if written(node) == name
        and isinstance(getattr(node, "ctx", None), ast.Store)
        and node not in within
    ]
    given = [given_to(module, one) for one in first]
    plain = bool(given) and all(
        one is not None and (is_number(one) or is_constant(one, None)) for one in given
    )
    return plain and not is_set_elsewhere(module, around, name)


def given_to(module: Module, target: ast.AST) -> ast.expr | None:
    """What a name is given by an assignment, also by one of several names at once."""
    statement = next((one for one in module.ancestors(target) if isinstance(one, ast.stmt)), None)
    found = pairs(statement) if isinstance(statement, ast.Assign) else ()
    return next((value for one, value in found if one is target), None)


def is_set_elsewhere(module: Module, around: ast.AST, name: str) -> bool:
    """Whether other code may give a name its value.

    That is another function for a global name, and for an attribute another class or script, or
    all attributes are set at once: `self.__dict__.update(state)`.
    """
    last = name.rpartition(".")[2]
    if "." not in name:
        return any(
            isinstance(one, ast.Global | ast.Nonlocal) and name in one.names
            for one in everything(module.tree)
        )
    at_once = any(
        (isinstance(one, ast.Attribute) and written(one) == "self.__dict__")
        or (isinstance(one, ast.Call) and written(one.func) in ("setattr", "vars"))
        for one in everything(around)
    )
    related = family(module.project, around) if isinstance(around, ast.ClassDef) else None
    return at_once or any(
        one.attr == last
        and isinstance(one.ctx, ast.Store)
        and other.class_of(one) is not around
        and (written(one) != name or related is None or other.class_of(one) in related)
        and not is_first_value(other, one)
        for other in module.project.near(module)
        for one in other.attributes
    )


def is_first_value(module: Module, name: ast.Attribute) -> bool:
    """Whether it is given a number that is written out."""
    around = module.parents[name]
    return isinstance(around, ast.Assign) and is_number(around.value)
