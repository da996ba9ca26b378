"""What a resumed run takes for its best score."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import last_name, mentions, own_nodes, written
from ..shared.callers import given_by_callers
from ..shared.states import filled_in, saves, value_before
from .checkpoint import SAVING

COUNT = re.compile(r"epoch|step|iter", re.I)


@rule(
    "TG626",
    "a resumed run treats the last score as the best",
    why="""The checkpoint of each epoch holds the score of that epoch, and the best score starts
    from it. If the last epoch was not the best, the next epoch that beats it replaces the best
    model with a worse one.""",
    remedy="save the best score too, and resume with it",
    source=SAVING,
    bad="""
import torch


def fit(model, epochs, run_epoch, validate, path, resume):
    best_score = 0.0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        best_score = state["score"]  # <--
    for _ in range(epochs):
        run_epoch(model)
        score = validate(model)
        torch.save({"model": model.state_dict(), "score": score}, path)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    good="""
import torch


def fit(model, epochs, run_epoch, validate, path, resume):
    best_score = 0.0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        best_score = state["best_score"]
    for _ in range(epochs):
        run_epoch(model)
        score = validate(model)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
        torch.save({"model": model.state_dict(), "best_score": best_score}, path)
""",
)
def recent_as_best(module: Module) -> Iterator[Spot]:
    for name, statements in module.assigned.items():
        if not is_best(name.rpartition(".")[2]):
            continue
        for statement in statements:
            key = read_key(module, statement.value)
            if not key or is_best(key) or COUNT.search(key):
                continue
            if holds_recent(module, key):
                yield Spot(statement, f'"{key}"')


def is_best(name: str) -> bool:
    """Whether a name is of the best score of a run."""
    return "best" in name.lower()


def read_key(module: Module, value: ast.expr) -> str:
    """The key of a checkpoint under which a value is read; empty where it is none, or the best."""
    if isinstance(value, ast.Call) and last_name(value.func) == "float" and value.args:
        value = value.args[0]
    if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.Constant):
        return ""
    source = value.value
    made = module.value_in(source, module.function(source)) if written(source) else [source]
    loads = [
        one
        for one in made
        if isinstance(one, ast.Call) and module.qualified(one.func) == "torch.load"
    ]
    chosen = any(mentions(argument, "best") for one in loads for argument in one.args)
    return str(value.slice.value) if loads and not chosen else ""


def holds_recent(module: Module, key: str) -> bool:
    """Whether all that the program saves under a key is the score of an epoch, best or not."""
    found = [
        is_recent(other, call, value)
        for other in module.project.near(module)
        for call in saves(other)
        if not is_chosen(other, call)
        for value in values_under(other, call, key)
    ]
    return bool(found) and all(found)


def values_under(module: Module, call: ast.Call, key: str) -> Iterator[ast.expr]:
    """What is saved under a key."""
    given = call.args[0]
    content = value_before(module, given, call)
    content = filled_in(module, module.function(call), written(given), content)
    if isinstance(content, ast.Dict):
        for one, value in zip(content.keys, content.values, strict=True):
            if isinstance(one, ast.Constant) and one.value == key:
                yield value


def is_recent(module: Module, call: ast.Call, value: ast.expr) -> bool:
    """Whether a value is not the best so far, and is saved whether it is the best or not."""
    name = written(value)
    if not name or is_best(name):
        return False
    scope = module.function(call)
    if given := given_by_callers(module, scope, name):
        return all(
            written(one) != "" and is_recent_here(other, where, one) and not is_chosen(other, where)
            for other, one, where in given
        )
    return is_recent_here(module, call, value)


def is_recent_here(module: Module, call: ast.Call, value: ast.expr) -> bool:
    """Whether a name is given a score of the moment in its function."""
    values = module.value_in(value, module.function(call))
    return (
        bool(values)
        and not is_best(written(value))
        and all(isinstance(one, ast.Call | ast.BinOp) for one in values)
        and not any(mentions(one, "best", "max", "min") for one in values)
    )


def is_chosen(module: Module, call: ast.Call) -> bool:
    """Whether a save is made under a condition, such as that a score is the best."""
    leaving = [
        node
        for node in own_nodes(module.function(call))
        if isinstance(node, ast.If)
        and node.lineno < call.lineno
        and any(isinstance(one, ast.Continue | ast.Return) for one in node.body)
    ]
    around = [one for one in module.ancestors(call) if isinstance(one, ast.If)]
    compared = any(isinstance(one.test, ast.Compare) for one in around)
    return compared or any(mentions(one.test, "best") for one in [*around, *leaving])
