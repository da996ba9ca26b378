"""Programs that go on with random weights where the file is missing."""

import ast
import re
from collections.abc import Iterable, Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, as_spot, rule
from ...syntax import (
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from ..files.undeclared import undeclared
from .without_weights import ASKING, consequence, path_asked

OTHER_WEIGHTS = re.compile(r"from_pretrained|load_url|load_state_dict_from_url|create_model|hub")


@rule(
    "TG623",
    "random weights are evaluated if the checkpoint is missing",
    why="""The weights are loaded only if the file exists, and otherwise the program continues:
    after a typo in the path, the scores are those of an untrained model. It is a hint where a
    training run starts over instead of resuming, and says so.""",
    remedy="check whether a path was given, not whether it exists, so that the load fails",
    source=f"{STABLE}/generated/torch.load.html",
    bad="""
import os

import torch


def main(args, model, loader, score):
    if os.path.isfile(args.weights):  # <--
        model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    model.eval()
    with torch.no_grad():
        print(sum(score(model(batch), batch) for batch in loader) / len(loader))
""",
    good="""
import torch


def main(args, model, loader, score):
    model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    model.eval()
    with torch.no_grad():
        print(sum(score(model(batch), batch) for batch in loader) / len(loader))
""",
    severity=Severity.WARNING,
)
def not_found(module: Module) -> Iterator[Spot]:
    told: set[ast.AST] = set()
    for load in module.torch_calls("load"):
        asked = asked_before(module, load)
        if asked is None or asked in told or not goes_on(module, asked):
            continue
        told.add(asked)
        found = consequence(module, asked, load)
        if found is not None:
            yield Spot(asked, *found)


def asked_before(module: Module, load: ast.Call) -> ast.If | None:
    """The `if os.path.isfile(path):` that a load of the same path is under."""
    if not load.args:
        return None
    scope, inner = module.function(load), load
    for around in module.ancestors(load):
        if around is scope or isinstance(around, ast.Try | ast.For | ast.While):
            return None
        if isinstance(around, ast.If) and any(inner in walk(one) for one in around.body):
            path = path_asked(around.test)
            if path is not None:
                near = ast.unparse(load.args[0])
                return around if names_same(ast.unparse(path), near) else None
    return None


def names_same(one: str, other: str) -> bool:
    """Whether two paths are the same, or one is part of the other."""
    return one in other or other in one


def goes_on(module: Module, asked: ast.If) -> bool:
    """Whether nothing ends the program without the file, and no other weights come."""
    around, scope = module.parents[asked], module.function(asked)
    one_of_several = isinstance(around, ast.If) and asked in around.orelse
    ends = any(isinstance(one, ast.Return | ast.Raise) for one in own_nodes(asked))
    answers = any(isinstance(n, ast.Return) and n.value is not None for n in own_nodes(scope))
    if one_of_several or ends or answers or any(True for _ in module.loops_around(asked)):
        return False
    if any(map(OTHER_WEIGHTS.search, module.calls)) or is_dealt_with(scope, asked):
        return False
    unknown = {as_spot(one).node for one in undeclared(module)}  # a flag that the parser lacks
    if any(one in unknown for statement in asked.orelse for one in walk(statement)):
        return False
    return not has_ended_before(module, scope, asked)


def has_ended_before(module: Module, scope: ast.AST, asked: ast.If) -> bool:
    """Whether an earlier `if` with the same test alone gives a name its value, and all read it."""
    nodes = list(dict.fromkeys([*own_nodes(module.tree), *own_nodes(scope)]))
    for before in nodes:
        if isinstance(before, ast.If) and before is not asked and same(before.test, asked.test):
            inside = set(walk(before))
            outside = [one for one in nodes if one not in inside]
            below = [one for statement in before.body for one in walk(statement)]
            alone = names_set(below) - names_set([*outside, *(inside.difference(below))])
            read = {one.id for one in outside if isinstance(one, ast.Name)}
            return not alone.isdisjoint(read)
    return False


def is_dealt_with(scope: ast.AST, asked: ast.If) -> bool:
    """Whether a function looks for the file elsewhere too, or at what was set where it is there."""
    path, inside = path_asked(asked.test), set(walk(asked))
    models = [receiver(one) for one in own_calls(asked, "load_state_dict")]
    for call in own_calls(scope, *ASKING, "load_state_dict"):
        given = [receiver(call), *call.args]
        if call not in inside and any(same(one, o) for one in given for o in (path, *models)):
            return True
    outside = [one for one in own_nodes(scope) if one not in inside]
    flags = names_set(walk(asked)) & names_set(outside)
    tests = [one.test for one in own_nodes(scope) if isinstance(one, ast.If | ast.Assert)]
    looked_at = {written(one) for test in tests for one in walk(test)}
    return not models or bool(flags & looked_at)


def names_set(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are set in these nodes."""
    return {
        written(one)
        for one in nodes
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    }
