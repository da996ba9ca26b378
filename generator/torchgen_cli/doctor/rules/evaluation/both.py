"""Functions that train or evaluate, as a flag says: `run_epoch(model, loader, train=False)`."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_constant,
    own_calls,
    parameters,
    walk,
    written,
)

FLAG = re.compile(r"^(is_)?(train|training)$")


def evaluating_loops(module: Module) -> Iterator[tuple[ast.For, Function]]:
    """(loop, function) where gradients are computed only if a flag says so, and a call says no."""
    for loop in module.loops:
        scope = module.function(loop)
        if not isinstance(loop, ast.For) or not isinstance(scope, FUNCTIONS):
            continue
        flag = next((one.arg for one in scope.args.args if FLAG.match(one.arg)), None)
        backward = own_calls(loop, "backward")
        if flag is None or not backward or any(True for _ in module.loops_around(loop)):
            continue
        if is_under(module, loop, flag):
            continue  # a loop of the training alone
        if all(is_under(module, call, flag) for call in backward) and is_refused(
            module, scope, flag
        ):
            yield loop, scope


def is_under(module: Module, node: ast.AST, flag: str) -> bool:
    """Whether a place is reached only if the flag is set."""
    return any(
        isinstance(around, ast.If)
        and written(around.test) == flag
        and any(node in walk(statement) for statement in around.body)
        for around in module.ancestors(node)
    )


def is_refused(module: Module, function: Function, flag: str) -> bool:
    """Whether a call of the function says that the flag is False."""
    names = parameters(function)
    return any(
        not has_stars(call) and is_constant(argument(call, names.index(flag), flag), False)
        for _, call in module.project.calls_of(module, function)
    )
