"""Passes through a network whose graph nothing ever uses: `.data` or `detach()` drops it."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    Function,
    last_name,
    own_calls,
    receiver,
    walk,
    written,
)
from ..shared.graphs import freezes, keeps_graphs, says_no_graph
from ..shared.networks import classes_of_network
from ..shared.programs import run_with
from .evaluating import MODELS, goes_through_data
from .switched import is_pass, needs_gradients
from .uses import Uses

LOSSES = re.compile(r"loss|criterion|metric", re.I)
DROPS = {"data", "detach"}


def dropped_passes(module: Module) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    """(a call of a network, the places of its result) in a function that has no use for a graph.

    All that is made of the result is cut off from the graph. The first call of each function.
    """
    if not any(one.attr in DROPS for one in module.attributes) or freezes(module.tree):
        return
    for scope in scopes_that_drop(module):
        around = module.class_of(scope)
        if around is not None and module.project.is_module_class(module, around):
            continue  # part of a larger pass
        calls = [call for call in own_calls(scope) if is_of_network(module, call)]
        if not calls or says_no_graph(scope):
            continue
        if module.project.reaches(module, scope, needs_gradients):
            continue
        uses = Uses(module, scope, calls)
        first = calls[0]
        cut = uses.all_cut and uses.cut_by & DROPS
        if cut and keeps_graphs(module, first, first) and not is_frozen(module, first):
            yield first, uses.places


def is_over_data(module: Module, call: ast.Call, places: list[ast.AST]) -> bool:
    """Whether a pass, or what is made of its result, is in a loop over the batches of a set.

    The loop may be one that calls the function, if it does not train: there, a helper shows a few
    samples now and then, or asks a teacher.
    """
    if any(goes_through_data(module, loop) for one in places for loop in module.loops_around(one)):
        return True
    return any(
        goes_through_data(other, loop) and not other.project.reaches(other, loop, needs_gradients)
        for other, site in module.project.calls_of(module, module.function(call))
        for loop in other.loops_around(site)
    )


def scopes_that_drop(module: Module) -> Iterator[Function | ast.Module]:
    """The functions, and the file itself, that cut something off from its graph."""
    found = {module.function(one): None for one in module.attributes if one.attr in DROPS}
    yield from found  # a dict, for the order


def is_of_network(module: Module, call: ast.Call) -> bool:
    """Whether a call is a pass through a network, by its name or by what it was made of."""
    func, owner = call.func, receiver(call)
    if not call.args and not call.keywords and owner is None:
        return False
    if is_network(module, func):
        return bool(call.args or call.keywords)
    if owner is None or last_name(func) in ("eval", "train"):
        return False
    passes = last_name(func) == "forward" or is_pass(module, last_name(func))
    return passes and is_network(module, owner)


def is_network(module: Module, node: ast.expr) -> bool:
    """Whether an expression is a network: called so, or made of an `nn.Module` of the project."""
    name = written(node)
    if not name or LOSSES.search(name) or "." in name.removeprefix("self."):
        return False
    return bool(MODELS.search(last_name(node))) or any(classes_of_network(module, node))


def is_frozen(module: Module, call: ast.Call) -> bool:
    """Whether the gradients of a network's parameters are turned off, by its class or elsewhere."""
    owner = receiver(call)
    passed = call.func if owner is None or is_network(module, call.func) else owner
    if any(freezes(one) for _, one in classes_of_network(module, passed)):
        return True
    for other in run_with(module):
        for one in other.attributes:
            is_set = one.attr == "requires_grad" and isinstance(one.ctx, ast.Store)
            if not is_set and one.attr != "requires_grad_":
                continue
            loop = next(other.loops_around(one), None)
            part = loop.iter if isinstance(loop, ast.For) else other.statement(one)
            if any(last_name(node) == last_name(passed) for node in walk(part)):
                return True
    return False
