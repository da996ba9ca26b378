"""Programs that go on with random weights where the file is missing."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from ..model.flags import long_flag
from ..shared.loops import is_backward

ASKING = ("isfile", "exists", "is_file")
TELLING = re.compile(r"^(print\w*|info|debug|warn\w*|error|write|log\w*|secho|echo)$", re.I)
EVALUATES = re.compile(
    r"^(do_?|only_?)?(eval|test|infer|valid|predict)\w*$|(eval|test)_only$", re.I
)
# calls of training code
TRAINS = re.compile(r"^(backward|state_dict|fit|train_\w+|\w+_train)$|^train(er|ing)", re.I)
TRAINING_CALLS = {"backward", "step", "zero_grad"}
ASKED_FOR = re.compile(r"resum|checkpoint|ckpt|weights|pretrain|load|model_?(path|file)", re.I)
OTHER_WEIGHTS = re.compile(r"from_pretrained|load_url|load_state_dict_from_url|create_model|hub")


@rule(
    "TG623",
    "where the checkpoint is missing, random weights are evaluated",
    why="""The weights are loaded if the file exists, and nothing ends the program if it does not:
    after a slip in the path the scores are those of an untrained model. Where a training run
    begins anew in place of the one that was asked for, and says so, this is a hint.""",
    remedy="ask whether a file was named, and not whether it exists, so that the load fails",
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


def path_asked(test: ast.expr) -> ast.expr | None:
    """The path that a condition asks to exist, by itself or together with others."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        if isinstance(part, ast.Call) and last_name(part.func) in ASKING:
            return part.args[0] if part.args else receiver(part)
    return None


def goes_on(module: Module, asked: ast.If) -> bool:
    """Whether nothing ends the program without the file, and no other weights come."""
    around, scope = module.parents[asked], module.function(asked)
    one_of_several = isinstance(around, ast.If) and asked in around.orelse
    ends = any(isinstance(one, ast.Return | ast.Raise) for one in own_nodes(asked))
    answers = any(isinstance(n, ast.Return) and n.value is not None for n in own_nodes(scope))
    if one_of_several or ends or answers or any(True for _ in module.loops_around(asked)):
        return False
    others = any(map(OTHER_WEIGHTS.search, module.calls))
    return not others and not is_dealt_with(scope, asked)


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


def only_tells(statement: ast.stmt) -> bool:
    """Whether a statement prints or logs, and does nothing else."""
    if isinstance(statement, ast.Pass):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    return TELLING.search(last_name(call.func)) is not None and "pars" not in written(call.func)


def names_set(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are set in these nodes."""
    return {
        written(one)
        for one in nodes
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    }


def consequence(module: Module, asked: ast.If, load: ast.Call) -> tuple[str, bool] | None:
    """What comes of a missing file, and whether that is a matter of doubt; None for nothing."""
    scope, told = module.function(asked), all(map(only_tells, asked.orelse))
    flag = evaluating_flag(scope, asked)
    if flag and all(only_tells(one) or isinstance(one, ast.Assign) for one in asked.orelse):
        return f"under {flag}", False
    backward = module.project.reaches(module, scope, is_backward)
    if told and not backward and is_saved_later(module, scope, asked):
        return "and saved in another file", False
    trains = any(map(TRAINS.search, module.calls))
    if not trains and not backward:
        brought = PurePath(module.name).stem in module.project.imported_parts
        switched = any(not one.args for one in module.calls.get("eval", ()))
        return ("", False) if switched and told and not brought else None
    path = path_asked(asked.test)
    wanted = isinstance(path, ast.Attribute | ast.Subscript) and ASKED_FOR.search(ast.unparse(path))
    if not wanted or not told:
        return None
    silent = path is not None and not asked.orelse and is_to_resume(module, path)
    return "a new run begins in place of that", not silent


def is_saved_later(module: Module, scope: ast.AST, asked: ast.If) -> bool:
    """Whether a program that does not train saves weights after it asked for a file."""
    return TRAINING_CALLS.isdisjoint(module.calls) and any(
        call.lineno > asked.lineno
        and module.function(call) is scope
        and not any(True for _ in module.loops_around(call))
        for call in module.torch_calls("save")
    )


def is_to_resume(module: Module, path: ast.AST) -> bool:
    """Whether a path is that of a run to resume, which a flag names where one is wanted."""
    name = written(path).rpartition(".")[2]
    return "resume" in name.lower() and any(
        long_flag(call).strip("-").replace("-", "_") == name
        and is_constant(keyword(call, "default") or ast.Constant(None), None, "")
        and keyword(call, "action") is None
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
    )


def evaluating_flag(scope: ast.AST, asked: ast.If) -> str:
    """The flag under which a function evaluates and returns, after a place; empty for none."""
    for one in own_nodes(scope) if isinstance(scope, FUNCTIONS) else ():
        if (
            isinstance(one, ast.If)
            and one.lineno > asked.lineno
            and isinstance(one.test, ast.Attribute)
            and EVALUATES.search(one.test.attr)
            and isinstance(one.body[-1], ast.Return)
            and own_calls(one)
        ):
            return written(one.test)
    return ""
