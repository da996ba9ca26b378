"""Names that a wrapper puts before those of the model."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    last_name,
    mentions,
    receiver,
    same,
    walk,
    written,
)
from ..shared.layers import unmoved
from ..shared.states import is_wrapped, takes
from .bare_states import cuts_prefix, is_bare_otherwise
from .handed import given_for, last_given, wrapped_elsewhere
from .opened_bare import (
    is_wanted_bare,
    opens_again,
    opens_bare,
    opens_given_wrapped,
    opens_wrapped,
    saved,
)


@rule(
    "TG603",
    "the keys in the checkpoint begin with `module.`",
    why="""A wrapper's state has the wrapper's keys, so only a model that is wrapped the same way
    can load it: no evaluation, no export, no single GPU. It is a hint where no code loads it into
    an unwrapped model, where another file of the program strips the prefix, or where the wrapper
    has to be requested.""",
    remedy="save `model.module.state_dict()`",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html#saving-torch-nn-dataparallel-models",
    bad="""
import torch
from torch.nn.parallel import DistributedDataParallel


def evaluate(net, path):
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))


def train(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.state_dict(), path)  # <--
""",
    good="""
import torch
from torch.nn.parallel import DistributedDataParallel


def evaluate(net, path):
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))


def train(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.module.state_dict(), path)
""",
    severity=Severity.WARNING,
)
def wrapped_state(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("state_dict", ()):
        model = receiver(call)
        if model is None or not written(model) or not saved(module, call):
            continue
        if is_bare_otherwise(module, model, call) or is_beside_bare(module, model, call):
            continue
        scope = module.function(call)
        given = [a for a in module.assigned.get(written(model), ()) if not only_moves(a)]
        near = [a for a in given if within(module, a, scope, model)]
        if not near and not takes(scope, written(model)):  # a global name
            near = [a for a in given if isinstance(module.function(a), ast.Module)]
        wrapped = [a for a in near if is_wrapped(module, a.value)]
        here = (
            wrapped
            and (wrapped[-1].lineno < call.lineno or module.function(wrapped[-1]) is not scope)
            and near[-1] is wrapped[-1]
            and not in_other_branch(module, wrapped[-1], call)
        )
        handed = given_for(module, scope, model.id) if isinstance(model, ast.Name) else ()
        given_to = list(handed)
        bare = any(last_name(one) == "module" for _, one in given_to)
        there = not near and not bare and any(wrapped_elsewhere(*one) for one in given_to)
        there |= not near and not bare and wrapped_by_callers(module, scope, given_to)
        if (here or there) and not cuts_prefix(module):
            program = module.project.near(module)
            keyed = isinstance(module.parents[call], ast.Dict)
            wanted = is_wanted_bare(module, model, keyed)
            alike = any(map(opens_wrapped, program)) and not wanted
            alike |= any(map(opens_given_wrapped, program))
            alike |= any(opens_again(*one) for one in given_to)
            alike |= bool(here) and is_asked_for(module, wrapped[-1])
            opened = any(opens_bare(one, keyed) for one in program)
            opened &= not any(map(cuts_prefix, program))
            yield Spot(call, unsure=alike or not opened)


def is_beside_bare(module: Module, model: ast.expr, call: ast.Call) -> bool:
    """Whether the same dict also holds the state of the model without its wrapper."""
    around = module.parents[call]
    return isinstance(around, ast.Dict) and any(
        isinstance(one, ast.Call) and written(one.func) == f"{written(model)}.module.state_dict"
        for one in around.values
    )


def is_asked_for(module: Module, wrap: ast.Assign) -> bool:
    """Whether a model is wrapped where a flag says so, and not wherever there are several GPUs."""
    tests = [one.test for one in module.ancestors(wrap) if isinstance(one, ast.If)]
    return bool(tests) and not any(
        isinstance(node, ast.Compare) or mentions(node, "distrib", "available", "count")
        for test in tests
        for node in walk(test)
    )


def wrapped_by_callers(
    module: Module, scope: ast.AST, given: list[tuple[Module, ast.expr]]
) -> bool:
    """Whether callers give a model that they have wrapped, and a function does not ask for that."""
    if mentions(scope, "module", "unwrap", "unparallel"):
        return False
    for other, value in given:
        made = last_given(other, value) if isinstance(value, ast.Name) else None
        if made is not None and not in_other_branch(other, made, value):
            return True
    return False


def in_other_branch(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether two places stand under a condition and its opposite: if wrapped, and else."""
    return any(
        isinstance(around, ast.If)
        and isinstance(opposite, ast.If)
        and same(around.test, opposite.test)
        and below(module, one, around.body) is below(module, other, opposite.orelse) is True
        for around in module.ancestors(one)
        for opposite in module.ancestors(other)
    )


def below(module: Module, node: ast.AST, block: list[ast.stmt]) -> bool:
    """Whether a node is part of one of these statements."""
    return any(statement in (node, *module.ancestors(node)) for statement in block)


def only_moves(node: ast.Assign) -> bool:
    """Whether it is `model = model.cuda()` and the like, which wraps nothing."""
    (value,) = unmoved([node.value])
    return value is not node.value and same(value, node.targets[0])


def within(module: Module, node: ast.AST, scope: ast.AST, name: ast.expr) -> bool:
    """Whether a statement is part of a scope; for an attribute, of the scope's class."""
    if isinstance(name, ast.Attribute):
        return module.class_of(node) is module.class_of(scope)
    return module.function(node) is scope
