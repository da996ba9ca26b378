"""An optimizer's state that stays where the model was."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import FUNCTIONS, own_calls, receiver, same, walk, written
from ..randomness.reach_of_seeds import excludes
from ..shared.layers import unmoved
from ..shared.loops import OPTIMIZERS, is_optimizer
from ..shared.states import bare

DTYPES = ("float16", "float32", "float64", "bfloat16", "half", "float", "double")


@rule(
    "TG616",
    "the model moves to another device after the optimizer's state is loaded",
    why="""`load_state_dict` puts the optimizer's moments on the device of the parameters, and
    `model.to(device)` moves only parameters: the first step of a resumed run on a GPU fails, as the
    moments are still on the CPU.""",
    remedy="move the model first, then call `optimizer.load_state_dict`",
    source=f"{STABLE}/generated/torch.optim.Optimizer.load_state_dict.html",
    bad="""
import torch
from torch import nn


def resume(path, device):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    model.to(device)  # <--
    return model, optimizer
""",
    good="""
import torch
from torch import nn


def resume(path, device):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    model.to(device)
    optimizer.load_state_dict(state["optimizer"])
    return model, optimizer
""",
)
def moved_late(module: Module) -> Iterator[ast.AST]:
    for load in module.calls.get("load_state_dict", ()):
        optimizer = receiver(load)
        if optimizer is None or not is_optimizer(module, optimizer):
            continue
        scope = module.function(load)
        moves = [(call, moved_model(call)) for call in own_calls(scope, "to", "cuda")]
        made = [
            statement
            for statement in module.assigned.get(written(optimizer), ())
            if module.function(statement) is scope and statement.lineno < load.lineno
        ]
        for call, model in moves:
            if model is None or not any(is_built_for(module, one.value, model) for one in made):
                continue
            before = any(other.lineno < load.lineno and same(m, model) for other, m in moves)
            late = call.lineno > load.lineno and not excludes(module, load, call)
            if late and not before and begins_on_the_cpu(module, model, load):
                if not moves_its_state(module, optimizer):
                    yield call
                break


def moved_model(call: ast.Call) -> ast.expr | None:
    """What is moved by `model.to(device)` or `DataParallel(model).cuda()`; None for a dtype."""
    owner = receiver(call)
    if owner is None or any(
        any(written(node).endswith(DTYPES) for node in walk(one) if written(node))
        for one in call.args
    ):
        return None
    found = bare(owner)
    if isinstance(found, ast.Call) and found.args and written(found.func).endswith("DataParallel"):
        found = found.args[0]
    return found if written(found) else None


def is_built_for(module: Module, value: ast.expr, model: ast.expr) -> bool:
    """Whether it makes an optimizer of parameters that come from this model."""
    if not isinstance(value, ast.Call) or not module.is_torch(value.func, *OPTIMIZERS):
        return False
    given = [node for one in (*value.args, *value.keywords) for node in walk(one)]
    scope = module.function(value)
    names = [node for node in given if isinstance(node, ast.Name) and not same(node, model)]
    given += [n for name in names for one in module.value_in(name, scope) for n in walk(one)]
    return any(same(node, model) for node in given)


def begins_on_the_cpu(module: Module, model: ast.expr, load: ast.Call) -> bool:
    """Whether a model is made in this function before, by nothing that moves it."""
    scope = module.function(load)
    values = [one for one in module.value_in(model, scope) if one.lineno < load.lineno]
    if not values or list(unmoved(values)) != values:
        return False
    for value in values:
        for call in [n for n in walk(value) if isinstance(n, ast.Call)]:
            classes = module.project.classes_named(module, call.func) or ()
            makers = [*classes, *module.project.resolve(module, call)]
            if any(moves_inside(one) for _, one in makers):
                return False
    return True


def moves_inside(maker: ast.AST) -> bool:
    """Whether a function or a constructor moves what it makes."""
    return any(
        isinstance(function, FUNCTIONS)
        and (function is maker or function.name == "__init__")
        and own_calls(function, "to", "cuda")
        for function in walk(maker)
    )


def moves_its_state(module: Module, optimizer: ast.expr) -> bool:
    """Whether the optimizer's state is gone through somewhere, as those do who move it."""
    return any(
        node.attr == "state" and written(node.value) == written(optimizer)
        for node in module.attributes
    )
