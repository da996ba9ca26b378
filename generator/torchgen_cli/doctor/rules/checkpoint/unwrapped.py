"""Models that are saved as if they were always wrapped."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    mentions,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.states import is_wrapped


@rule(
    "TG609",
    "an unwrapped model has no `module`",
    why="""The model is wrapped under a condition, but its `.module` is saved without one: with one
    device the first checkpoint fails with an AttributeError.""",
    remedy='save `getattr(model, "module", model).state_dict()`',
    source=f"{STABLE}/generated/torch.nn.DataParallel.html",
    bad="""
import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, ranks, epochs, run_epoch):
    if ranks > 1:
        model = DistributedDataParallel(model)
    for epoch in range(epochs):
        run_epoch(model)
        torch.save(model.module.state_dict(), "last.pt")  # <--
""",
    good="""
import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, ranks, epochs, run_epoch):
    if ranks > 1:
        model = DistributedDataParallel(model)
    for epoch in range(epochs):
        run_epoch(model)
        bare = model.module if ranks > 1 else model
        torch.save(bare.state_dict(), "last.pt")
""",
)
def module_of_none(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("state_dict", ()):
        inner = receiver(call)
        if not isinstance(inner, ast.Attribute) or inner.attr != "module":
            continue
        scope = module.function(call)
        if not isinstance(inner.value, ast.Name):
            continue
        made = [
            one
            for one in module.assigned.get(inner.value.id, ())
            if module.function(one) is scope and one.lineno < call.lineno
        ]
        wraps = [one for one in made if is_wrapped(module, one.value)]
        conditions = list(filter(None, (outermost(module, one, scope) for one in wraps)))
        if (
            not wraps
            and is_prepared(module, call, inner.value)
            and not under_condition(module, call, [])
        ):
            yield Spot(call, "accelerate wraps it for several processes alone")
        if not wraps or len(conditions) < len(wraps):
            continue  # it is always wrapped
        tests = [one.test for one in conditions]
        both = any(both_ways(module, one, wraps) for one in conditions)
        both |= saves_bare_before(module, call, inner.value)
        if not both and not under_condition(module, call, tests):
            yield Spot(call)


def saves_bare_before(module: Module, call: ast.Call, name: ast.Name) -> bool:
    """Whether the model as it is was saved in an earlier branch, which ends the round."""
    return any(
        isinstance(around, ast.If)
        and isinstance(around.body[-1], ast.Return | ast.Continue)
        and any(written(receiver(one) or one) == name.id for one in own_calls(around, "state_dict"))
        for around in own_nodes(module.function(call))
        if isinstance(around, ast.If) and around.lineno < call.lineno
    )


def is_prepared(module: Module, call: ast.Call, name: ast.Name) -> bool:
    """Whether a model is what `accelerator.prepare` returned, earlier in the function."""
    for prepared in own_calls(module.function(call), "prepare"):
        statement = module.parents[prepared]
        if isinstance(statement, ast.Assign) and "accelerator" in written(prepared.func).lower():
            targets = (one for target in statement.targets for one in walk(target))
            if prepared.lineno < call.lineno and any(written(one) == name.id for one in targets):
                return True
    return False


def outermost(module: Module, node: ast.AST, scope: ast.AST) -> ast.If | None:
    """The outermost condition that a statement of a function is under; None where there is none."""
    found = None
    for around in module.ancestors(node):
        if around is scope:
            break
        if isinstance(around, ast.If):
            found = around
    return found


def both_ways(module: Module, condition: ast.If, wraps: list[ast.Assign]) -> bool:
    """Whether a model is wrapped whichever way it goes, or the other way ends the program."""
    if not condition.orelse:
        return False
    ends = any(isinstance(one, ast.Raise | ast.Return) for one in condition.orelse)
    ends |= any(bool(own_calls(one, "exit")) for one in condition.orelse)
    ways = {
        inner in condition.orelse
        for wrap in wraps
        for inner in [wrap, *module.ancestors(wrap)]
        if inner in condition.body or inner in condition.orelse
    }
    return ends or len(ways) == 2


def under_condition(module: Module, call: ast.Call, tests: list[ast.expr]) -> bool:
    """Whether something around asks for the wrapper, in whatever words, or as it was wrapped."""
    wrapped = {name for test in tests for name in asked(test)}
    asks = ("module", "parallel", "distrib", "gpu", "device", "ngpu", "rank", "ddp", "multi")
    return any(
        isinstance(around, ast.Try)
        or (
            isinstance(around, ast.If | ast.IfExp)
            and (mentions(around.test, *asks) or not wrapped.isdisjoint(asked(around.test)))
        )
        for around in module.ancestors(call)
    )


def asked(test: ast.expr) -> set[str]:
    """The names in a condition: of `args.gpus > 1` it is "args.gpus", and not "args"."""
    bases = {node.value for node in walk(test) if isinstance(node, ast.Attribute)}
    return {written(node) for node in walk(test) if node not in bases} - {""}
