"""Learning rates of parameter groups that a schedule takes away."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import argument, has_stars, is_constant, same, walk, written
from ..shared.loops import OPTIMIZERS
from ..shared.origins import returned
from ..shared.states import as_dict

SEVERAL = (ast.List, ast.Tuple, ast.ListComp, ast.Call, ast.Subscript, ast.Starred)
LISTS = (ast.List, ast.Tuple)


@rule(
    "TG424",
    "the schedule gives all parameter groups the same rate",
    why="""OneCycleLR and CyclicLR set the rate of each group themselves. With one number for
    `max_lr` all groups get that one: the optimizer's rates for single groups have no effect, and a
    pretrained backbone is trained as fast as a new head.""",
    remedy="pass `max_lr` a list, with a rate for each group",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.OneCycleLR.html",
    bad="""
import torch
from torch.optim.lr_scheduler import OneCycleLR


def build(model, lr, steps):
    slow, fast = model.backbone.parameters(), model.head.parameters()
    groups = [{"params": slow, "lr": lr / 10}, {"params": fast, "lr": lr}]
    optimizer = torch.optim.SGD(groups, lr=lr)
    return OneCycleLR(optimizer, max_lr=lr, total_steps=steps)  # <--
""",
    good="""
import torch
from torch.optim.lr_scheduler import OneCycleLR


def build(model, lr, steps):
    slow, fast = model.backbone.parameters(), model.head.parameters()
    groups = [{"params": slow, "lr": lr / 10}, {"params": fast, "lr": lr}]
    optimizer = torch.optim.SGD(groups, lr=lr)
    return OneCycleLR(optimizer, max_lr=[lr / 10, lr], total_steps=steps)
""",
    severity=Severity.WARNING,
)
def overwritten_rates(module: Module) -> Iterator[ast.AST]:
    for name, place in (("OneCycleLR", 1), ("CyclicLR", 2)):
        for call in module.torch_calls(name):
            rate, given = argument(call, place, "max_lr"), argument(call, 0, "optimizer")
            if rate is None or given is None or has_stars(call):
                continue
            if not is_one_number(module, rate, call):
                continue
            made = [one for one in optimizers_of(module, given, call) if one.lineno < call.lineno]
            if made and any(has_own_rates(module, one) for one in made):
                yield call


def is_one_number(module: Module, rate: ast.expr, near: ast.AST) -> bool:
    """Whether a rate is one number, and no list of them, as far as the function tells."""
    if isinstance(rate, ast.Constant):
        return isinstance(rate.value, int | float)
    if isinstance(rate, ast.BinOp):
        return not any(isinstance(node, SEVERAL) for node in walk(rate))
    if not written(rate) or written(rate).endswith("s"):
        return False  # max_lrs
    values = module.value_in(rate, module.function(near))
    return not any(isinstance(value, SEVERAL) for value in values)


def optimizers_of(module: Module, given: ast.expr, near: ast.AST) -> Iterator[ast.Call]:
    """The calls that make the optimizer which a name of a function, or an attribute, holds."""
    made = list(module.torch_calls(*OPTIMIZERS))
    for value in [given, *module.value_in(given, module.function(near))]:
        if value in made:
            assert isinstance(value, ast.Call)
            yield value


def has_own_rates(module: Module, optimizer: ast.Call) -> bool:
    """Whether an optimizer is given groups with rates that differ."""
    params = argument(optimizer, 0, "params")
    if params is None:
        return False
    default = argument(optimizer, 1, "lr")
    values = [params]
    if written(params):
        values += module.value_in(params, module.function(optimizer))
    for value in list(values):
        if isinstance(value, ast.Call):
            for other, result in returned(module, value):
                values += [result, *other.value_in(result, other.function(result))]
    return any(differ(value, default) for value in values)


def differ(groups: ast.expr, default: ast.expr | None) -> bool:
    """Whether the groups of a list that is written out have rates that differ."""
    if not isinstance(groups, LISTS) or len(groups.elts) < 2:
        return False
    rates = []
    for group in map(as_dict, groups.elts):
        if not isinstance(group, ast.Dict) or any(key is None for key in group.keys):
            return False
        pairs = zip(group.keys, group.values, strict=True)
        rates.append(next((v for k, v in pairs if is_constant(k, "lr")), default))
    first = rates[0]
    return any(not (one is first or same(one, first)) for one in rates)
