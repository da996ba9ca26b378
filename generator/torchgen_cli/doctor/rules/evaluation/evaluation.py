"""Evaluation without `eval`, or with gradients."""

import ast
from collections.abc import Callable, Iterable, Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Loop,
    everything,
    own_calls,
    own_nodes,
    walk,
    written,
)
from ...unused import is_never_called, is_registered
from ..shared.graphs import keeps_graphs, leaves_graphs_out, mentions_no_graph, says_no_graph, under
from .both import evaluating_calls, evaluating_loops, phase_loops
from .dropped_graphs import dropped_passes, is_over_data
from .evaluating import calls_model, evaluation_loops, goes_through_data
from .graphs_needed import is_spared
from .loaded import has_modes, loaded_loops, surely_has_modes, was_saved_with_modes
from .modes import evaluates, network_of, switches_mode
from .switched import switched_loops, switched_passes
from .too_narrow import narrow_passes
from .unswitched import unswitched_passes


def cared_for(module: Module, scope: ast.AST, holds: Callable[[Module, ast.AST], bool]) -> bool:
    """Whether the callers of a function see to something: all of them, or theirs.

    Methods are known by their names alone: there it is enough if one caller does.
    """
    enough = any if module.class_of(scope) else all
    return _cared_for(module, scope, holds, enough, {scope})


def _cared_for(
    module: Module,
    scope: ast.AST,
    holds: Callable[[Module, ast.AST], bool],
    enough: Callable[[Iterable[bool]], bool],
    seen: set[ast.AST],
) -> bool:
    calls = module.project.calls_of(module, scope)
    callers = {other.function(call): other for other, call in calls}
    return bool(callers) and enough(
        holds(other, caller)
        or (caller not in seen and _cared_for(other, caller, holds, enough, {*seen, caller}))
        for caller, other in callers.items()
    )


@rule(
    "TG501",
    "the model is evaluated in training mode",
    why="""Without `eval()` dropout stays on, and batch norm uses, and updates, the statistics of
    the batch: the metric depends on the batch size, and evaluating changes the model. It is a hint
    where the model is not known to have such a layer, and in a function that nothing calls.""",
    remedy="call `model.eval()` before, and `model.train()` after",
    source=f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.eval",
    bad="""
import torch
from torchvision.models import resnet18


@torch.no_grad()
def validate(model, loader):
    correct = 0
    for images, labels in loader:  # <--
        correct += (model(images).argmax(1) == labels).sum()
    return correct


def main(loader):
    print(validate(resnet18(), loader))
""",
    good="""
import torch
from torchvision.models import resnet18


@torch.no_grad()
def validate(model, loader):
    model.eval()
    correct = 0
    for images, labels in loader:
        correct += (model(images).argmax(1) == labels).sum()
    return correct


def main(loader):
    print(validate(resnet18(), loader))
""",
)
def no_eval(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    told: set[ast.AST] = set()
    for loop, call, scope in evaluation_loops(module, by_class=True):
        if scope in told or evaluates(module, scope):
            continue
        if not cared_for(module, scope, evaluates):
            told.add(scope)
            seen = surely_has_modes(module, network_of(call))
            yield Spot(loop, unsure=not seen or is_called_nowhere(module, scope))
    for loop, scope in evaluating_loops(module):
        if not evaluates(module, scope) and not cared_for(module, scope, evaluates):
            calls = filter(calls_model, own_calls(loop))
            yield Spot(
                loop, unsure=not any(surely_has_modes(module, network_of(one)) for one in calls)
            )
    for call, network in unswitched_passes(module):
        scope = module.function(call)
        if scope not in told and surely_has_modes(module, network):
            told.add(scope)
            yield Spot(call, "the training program never calls `eval()`")
    for place, _, network in loaded_loops(module):
        scope = module.function(place)
        if scope in told or any(switches_mode(node) for node in everything(module.tree)):
            continue
        if not evaluates(module, scope) and not cared_for(module, scope, evaluates):
            sure = has_modes(module, network) or was_saved_with_modes(module, network)
            yield Spot(place, unsure=not sure)


@rule(
    "TG502",
    "the evaluation builds autograd graphs",
    why="""Without `no_grad` each batch keeps what a backward pass would need: several times the
    memory, and time, for nothing. It is a hint where no loop over a loader, or over the batches of
    a set, is found, and in a function that nothing calls.""",
    remedy="run it under `torch.no_grad()` or `torch.inference_mode()`",
    source=f"{STABLE}/notes/autograd.html#locally-disable-grad-doc",
    bad="""
def validate(model, loader):
    model.eval()
    correct = 0
    for images, labels in loader:  # <--
        correct += (model(images).argmax(1) == labels).sum()
    return correct


def main(model, loader):
    print(validate(model, loader))
""",
    good="""
import torch


def validate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(1) == labels).sum()
    return correct


def main(model, loader):
    print(validate(model, loader))
""",
    severity=Severity.WARNING,
)
def no_no_grad(module: Module) -> Iterator[Spot]:
    volatile = module.project.stays_before_torch("0.4") and module.project.contains(b"volatile")
    if module.project.has_framework(module) or volatile:
        return
    known: list[Loop] = list(named_evaluations(module))
    yield from (Spot(loop, unsure=costs_little(module, loop)) for loop in known)
    loaded = ((loop, call) for loop, call, _ in loaded_loops(module))
    for loop, call in (*switched_loops(module), *loaded):
        apart = not any(
            one in module.ancestors(loop) or loop in module.ancestors(one) for one in known
        )
        if is_spared(module, loop, network_of(call)):
            continue
        if loop not in known and apart and keeps_graphs(module, loop, call):
            known.append(loop)
            yield Spot(loop, unsure=costs_little(module, loop) and not carries(loop, call))
    told: set[ast.AST] = set()
    for call in switched_passes(module):
        if is_spared(module, module.function(call), network_of(call)):
            continue
        if not is_told(module, call, known) and keeps_graphs(module, call, call):
            told.add(module.function(call))
            yield Spot(call, unsure=not is_called_over_data(module, module.function(call)))
    for call in narrow_passes(module):
        if not any(loop in known for loop in module.loops_around(call)):
            told.add(module.function(call))
            yield Spot(call, "`no_grad` ends before it")
    told.update(module.function(loop) for loop in known)
    for call, places in dropped_passes(module):
        if module.function(call) not in told and not is_told(module, call, known):
            rarely = not is_over_data(module, call, places)
            yield Spot(call, "nothing uses the graph", unsure=rarely)


def is_told(module: Module, call: ast.Call, known: list[Loop]) -> bool:
    """Whether one of these loops calls the function that a call is in."""
    name = getattr(module.function(call), "name", "")
    return bool(name) and any(own_calls(loop, name) for loop in known)


def named_evaluations(module: Module) -> Iterator[ast.For]:
    """The loops over evaluation data, by their names, that compute graphs."""
    told: set[ast.AST] = set()
    for loop, call, scope in evaluation_loops(module, by_class=True):
        around = scope if isinstance(scope, FUNCTIONS) else loop
        if scope in told or says_no_graph(around) or under(module, loop):
            continue
        if module.project.reaches(module, call, mentions_no_graph, depth=4):
            continue
        if is_spared(module, loop, network_of(call)):
            continue
        if not cared_for(module, scope, leaves_graphs_out):
            told.add(scope)
            yield loop
    for loop, inside in phase_loops(module):
        if not says_no_graph(inside) and not cared_for(module, inside, leaves_graphs_out):
            yield loop
    for loop, inside in evaluating_loops(module):
        if says_no_graph(inside) or cared_for(module, inside, leaves_graphs_out):
            continue
        callers = {o.function(call): o for o, call in evaluating_calls(module, loop, inside)}
        if not all(
            leaves_graphs_out(other, caller) or cared_for(other, caller, leaves_graphs_out)
            for caller, other in callers.items()
        ):
            yield loop


def is_called_nowhere(module: Module, scope: ast.AST) -> bool:
    """Whether nothing calls a plain function, be the file part of a program or not."""
    if not isinstance(scope, ast.FunctionDef) or scope not in module.tree.body:
        return False
    return not is_registered(scope) and is_never_called(module, scope)


def costs_little(module: Module, loop: ast.AST) -> bool:
    """Whether a loop, and those in it, take no batches of a set, or only show something."""
    scope = module.function(loop)
    shown = "demo" in f"{module.name} {getattr(scope, 'name', '')}".lower()
    through = any(goes_through_data(module, one) for one in (loop, *own_nodes(loop)))
    return shown or not through


def is_called_over_data(module: Module, function: ast.AST) -> bool:
    """Whether a loop over data calls a function."""
    return any(
        goes_through_data(other, loop)
        for other, call in module.project.calls_of(module, function)
        for loop in other.loops_around(call)
    )


def carries(loop: ast.AST, call: ast.Call) -> bool:
    """Whether a pass is given what the pass before it returned, and so its graph as well."""
    given = {written(one) for one in [*call.args, *(k.value for k in call.keywords)]} - {""}
    return any(
        isinstance(node, ast.Assign)
        and node.value is call
        and any(written(one) in given for target in node.targets for one in walk(target))
        for node in walk(loop)
    )
