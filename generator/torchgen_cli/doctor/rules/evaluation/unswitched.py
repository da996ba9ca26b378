"""Evaluations within the training loop of a program that never leaves the training mode."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, last_name, own_calls, walk, written
from ..data.data import EVALUATION
from ..shared.loops import is_backward
from ..shared.programs import run_with
from .dropped_graphs import is_network

NO_GRAPH = ("no_grad", "inference_mode")
NO_PASS = ("DataParallel", "DistributedDataParallel", "deepcopy", "print", "save", "unwrap_model")


def unswitched_passes(module: Module) -> Iterator[tuple[ast.Call, ast.expr]]:
    """(a call of a network without gradients, the network) for evaluation, between two steps.

    Nothing in the whole program speaks of the mode of a model.
    """
    if speaks_of_modes(module):
        return
    told: set[ast.AST] = set()
    for name in NO_GRAPH:
        for call in module.calls.get(name, ()):
            quiet = quiet_part(module, call)
            if quiet is None or not is_evaluation_in_training(module, quiet):
                continue
            scope = module.function(call) if isinstance(quiet, ast.With) else quiet
            if scope in told:
                continue
            found = next(network_calls(module, quiet), None)
            if found is not None:
                told.add(scope)
                yield found


@kept
def speaks_of_modes(module: Module) -> bool:
    """Whether a file of the program says in which mode a model should be."""
    return any(
        "eval" in other.calls
        or any(one.args for one in other.calls.get("train", ()))
        or any(one.attr == "training" for one in other.attributes)
        for other in run_with(module)
    )


def quiet_part(module: Module, call: ast.Call) -> ast.AST | None:
    """The block, or the function, for which `no_grad()` turns gradients off."""
    around = module.parents[call]
    if isinstance(around, ast.withitem):
        return module.parents[around]
    return around if isinstance(around, FUNCTIONS) else None


def is_evaluation_in_training(module: Module, quiet: ast.AST) -> bool:
    """Whether a part without gradients is run with what is for evaluation, and in training."""
    scope = quiet if isinstance(quiet, FUNCTIONS) else module.function(quiet)
    sites: list[tuple[Module, ast.AST]] = [*module.project.calls_of(module, scope)]
    if isinstance(quiet, ast.With):
        sites.append((module, quiet))
    for other, site in sites:
        loops = list(other.loops_around(site))
        if any(other.project.reaches(other, loop, is_backward) for loop in loops):
            return is_for_evaluation(other, site, getattr(scope, "name", ""))
    return False


def is_for_evaluation(module: Module, site: ast.AST, name: str) -> bool:
    """Whether names say that a part is for evaluation: what is called, or given to it."""
    given = site.args + [one.value for one in site.keywords] if isinstance(site, ast.Call) else []
    names = [name, *(written(one) for value in given for one in walk(value))]
    loops = (loop for loop in module.loops_around(site) if isinstance(loop, ast.For))
    names += [written(one) for loop in loops for one in walk(loop.iter)]
    return any(EVALUATION.search(one) for one in names) and "train" not in " ".join(names).lower()


def network_calls(module: Module, quiet: ast.AST) -> Iterator[tuple[ast.Call, ast.expr]]:
    """(a call of a network, or one that is given a network and data, the network)."""
    for call in own_calls(quiet):
        if is_network(module, call.func) and (call.args or call.keywords):
            yield call, call.func
        given = [*call.args, *(one.value for one in call.keywords)]
        networks = [one for one in given if is_network(module, one)]
        if len(given) > 1 and networks and last_name(call.func) not in NO_PASS:
            yield call, networks[0]
