"""Where a network runs after its own `eval()`, whatever it and the function are called."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    LOOPS,
    Function,
    Loop,
    children,
    is_constant,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    same,
    written,
)
from ..shared.layers import MOVES

GRADIENTS = ("backward", "grad", "jacobian", "requires_grad_", "zero_grad")


def switched_loops(module: Module) -> Iterator[tuple[Loop, ast.Call]]:
    """(loop that computes no gradients, the call in it of a network that `eval()` was called on).

    The loop follows the `eval()` in the same block; the first is given for each block.
    """
    told: set[ast.AST] = set()
    for network, later in after_switches(module):
        for statement in later:
            found = running_loop(module, statement, network)
            if found is not None:
                if found[0] not in told:
                    yield found
                told.add(found[0])
                break


def after_switches(module: Module) -> Iterator[tuple[ast.expr, list[ast.stmt]]]:
    """(a network that is put into evaluation, the statements of that block until it trains)."""
    switches = [call for call in module.calls.get("eval", ()) if not call.args]
    switches += [
        call
        for call in module.calls.get("train", ())
        if len(call.args) == 1 and is_constant(call.args[0], False)
    ]
    for call in switches:
        statement = module.parents[call]
        network = bare_network(call)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            network = statement.targets[0]  # model = Net().to(device).eval()
        elif not isinstance(statement, ast.Expr):
            continue
        if network is None or written(network) in ("", "self"):
            continue
        later = module.following(statement)
        stop = next((k for k, one in enumerate(later) if trains(one, network)), len(later))
        yield network, later[:stop]


def bare_network(call: ast.Call) -> ast.expr | None:
    """The network of `network.to(device).eval()`."""
    network = receiver(call)
    while isinstance(network, ast.Call) and last_name(network.func) in MOVES:
        network = receiver(network)
    return network


def trains(statement: ast.stmt, network: ast.expr) -> bool:
    """Whether a statement puts the network back into training."""
    return any(
        same(receiver(call), network) and not (call.args and is_constant(call.args[0], False))
        for call in own_calls(statement, "train")
    )


def running_loop(
    module: Module, statement: ast.stmt, network: ast.expr
) -> tuple[Loop, ast.Call] | None:
    """The outermost loop of a statement that runs the network, and has no use for gradients."""
    pending: list[ast.AST] = [statement]
    for node in pending:  # it grows
        if isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, LOOPS):
            calls = own_calls(node)
            run = next((call for call in calls if runs(module, call, network)), None)
            if run is not None and not module.project.reaches(module, node, needs_gradients):
                return node, run
        pending += children(node)
    return None


def needs_gradients(node: ast.AST) -> bool:
    """Whether it computes gradients, or asks for them."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in GRADIENTS
    return isinstance(node, ast.Attribute) and (
        node.attr == "grad" or (node.attr == "requires_grad" and isinstance(node.ctx, ast.Store))
    )


def runs(module: Module, call: ast.Call, network: ast.expr) -> bool:
    """Whether a call is a pass through the network: its own, or that of a function it is given."""
    owner = receiver(call)
    if same(call.func, network):
        return bool(call.args or call.keywords)
    if owner is not None and (same(owner, network) or is_wrapped_in(owner, network)):
        return last_name(call.func) == "forward" or is_pass(module, last_name(call.func))
    given = [place for place, one in enumerate(call.args) if same(one, network)]
    if given and isinstance(call.func, ast.Name):
        found = module.project.resolve(module, call)
        return bool(found) and all(calls_parameter(one, given[0]) for _, one in found)
    if owner is not None and written(owner) == "self" and written(network).startswith("self."):
        around = module.class_of(call)
        return any(
            isinstance(method, FUNCTIONS)
            and method.name == last_name(call.func)
            and any(same(inner.func, network) for inner in own_calls(method))
            for method in (around.body if around is not None else ())
        )
    return False


def is_wrapped_in(owner: ast.expr, network: ast.expr) -> bool:
    """Whether it is `network.module`."""
    return (
        isinstance(owner, ast.Attribute) and owner.attr == "module" and same(owner.value, network)
    )


def is_pass(module: Module, name: str) -> bool:
    """Whether a method of this name of the project's networks returns what it computes."""
    if name in (*MOVES, "state_dict", "load_state_dict", "parameters") or name.startswith("__"):
        return False
    found = [
        (other, method)
        for other, method in module.project.functions.get(name, ())
        if (around := other.class_of(method)) is not None
        and module.project.is_module_class(other, around)
    ]
    return bool(found) and all(
        any(calls_layer(other, inner) for inner in own_calls(method)) for other, method in found
    )


def calls_layer(module: Module, call: ast.Call) -> bool:
    """Whether a method calls one of the layers of its object: `self.encoder(x)`."""
    owner = receiver(call)
    if owner is None or written(owner) != "self" or not call.args:
        return False
    values = module.value_in(call.func, module.class_of(call) or module.tree)
    return any(isinstance(value, ast.Call) for value in values)


def calls_parameter(function: Function, place: int) -> bool:
    """Whether a function calls its parameter with something."""
    names = parameters(function)
    if place >= len(names):
        return False
    return any(
        isinstance(call.func, ast.Name) and call.func.id == names[place] and call.args
        for call in own_calls(function)
    )


def switched_passes(module: Module) -> Iterator[ast.Call]:
    """The calls of a network after its `eval()`, in a function that a loop elsewhere calls."""
    told: set[ast.AST] = set()
    for network, later in after_switches(module):
        function = module.function(later[0]) if later else module.tree
        if not isinstance(function, FUNCTIONS) or function in told:
            continue
        if any(isinstance(node, LOOPS) for node in own_nodes(function)):
            continue
        calls = [call for statement in later for call in own_calls(statement)]
        run = next((call for call in calls if same(call.func, network) and call.args), None)
        if run is None or module.project.reaches(module, function, needs_gradients):
            continue
        if is_called_in_loops(module, function):
            told.add(function)
            yield run


def is_called_in_loops(module: Module, function: Function) -> bool:
    """Whether a loop calls a function, and no gradients are computed where it is called.

    Methods are known by name alone: only calls with as many arguments as it needs count.
    """
    needed = len(parameters(function)) - len(function.args.defaults)
    sites = [
        (other, call)
        for other, call in module.project.calls_of(module, function)
        if len(call.args) + len(call.keywords) >= max(needed, 1)
    ]
    loops = [next(other.loops_around(call), None) for other, call in sites]
    places = [
        (other, loop or other.function(call))
        for (other, call), loop in zip(sites, loops, strict=True)
    ]
    return any(loops) and not any(
        other.project.reaches(other, place, needs_gradients) for other, place in places
    )
