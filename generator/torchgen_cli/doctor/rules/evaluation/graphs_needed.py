"""Evaluations that compute gradients themselves, or whose networks are frozen."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import FUNCTIONS, is_constant, last_name, receiver, same, walk
from ..shared.graphs import mentions_no_graph
from ..shared.networks import classes_of_network
from ..shared.origins import called
from ..shared.programs import run_with
from .switched import needs_gradients

# what changes its samples by gradients, made elsewhere: `attack(images, labels)`
ATTACKS = re.compile(r"attack|(^|_)(adv|pgd|fgsm)(_|$)|adversar|perturb|grad_?cam|saliency", re.I)


def is_spared(module: Module, place: ast.AST, network: ast.expr) -> bool:
    """Whether graphs are needed where a network runs, or it builds none."""
    return needs_its_graphs(module, place, network) or builds_no_graph(module, network)


def needs_its_graphs(module: Module, place: ast.AST, network: ast.expr) -> bool:
    """Whether gradients are computed at a place, in what it surely calls, or in the network.

    Or a method of a network that is called there turns them off by its decorator.
    """
    pending = [(module, place, 3)]
    pending += [(other, one, 2) for other, one in passes_of(module, network)]
    seen = {place}
    for where, scope, left in pending:  # it grows
        for node in walk(scope):
            if needs_gradients(node):
                return True
            if not isinstance(node, ast.Call):
                continue
            if ATTACKS.search(last_name(node.func)) or is_without_graph(where, node):
                return True
            for other, function in called(where, node) if left else ():
                if function not in seen:
                    seen.add(function)
                    pending.append((other, function, left - 1))
    return False


def is_without_graph(module: Module, call: ast.Call) -> bool:
    """Whether it calls a method of a network that is under `@torch.no_grad()`."""
    owner, name = receiver(call), last_name(call.func)
    if owner is None or name not in module.project.functions:
        return False
    return any(
        mentions_no_graph(part)
        for _, node in classes_of_network(module, owner)
        for method in node.body
        if isinstance(method, FUNCTIONS) and method.name == name
        for one in method.decorator_list
        for part in walk(one)
    )


def passes_of(module: Module, network: ast.expr) -> Iterator[tuple[Module, ast.AST]]:
    """The methods that run where a network of the project is called."""
    for other, node in classes_of_network(module, network):
        for method in node.body:
            if isinstance(method, FUNCTIONS) and method.name in ("forward", "__call__"):
                yield other, method


def builds_no_graph(module: Module, network: ast.expr) -> bool:
    """Whether a network is frozen as a whole."""
    return any(
        freezes_all(other, one, last_name(network))
        for other in run_with(module)
        for one in other.attributes
        if one.attr in ("requires_grad", "requires_grad_")
    )


def freezes_all(module: Module, attribute: ast.Attribute, network: str) -> bool:
    """Whether gradients are turned off for each parameter of a network of this name."""
    statement = module.statement(attribute)
    if isinstance(statement, ast.Assign):
        off = attribute in statement.targets and is_constant(statement.value, False)
    else:
        call = module.parents[attribute]
        off = isinstance(call, ast.Call) and any(is_constant(one, False) for one in call.args)
    if off and attribute.attr == "requires_grad_" and last_name(attribute.value) == network:
        return True
    loop = module.parents[statement]
    if not off or not isinstance(loop, ast.For) or not same(loop.target, attribute.value):
        return False
    source = loop.iter
    if not isinstance(source, ast.Call) or last_name(source.func) != "parameters":
        return False
    owner = receiver(source)
    return owner is not None and last_name(owner) == network
