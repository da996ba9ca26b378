"""Arguments and names that mean something else than they look."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    argument,
    is_constant,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from ..shared.layers import DOCS
from ..shared.loops import OPTIMIZERS, is_backward

BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")
LARGE = 0.01  # of an epsilon, which is 1e-5 by default
FACTORIES = ("zeros", "ones", "full", "rand", "randn", "arange", "tensor", "Tensor", "FloatTensor")
MISSPELT = ("require_grad", "requires_gard", "require_grads", "requires_grads", "required_grad")


@rule(
    "TG308",
    "the second argument of a batch norm is `eps`, not the momentum",
    why="""`BatchNorm2d(64, 0.8)` adds 0.8 to every variance, so channels are no longer scaled to
    one, and leaves the momentum at 0.1. An `eps` passed by name is a hint.""",
    remedy="write `momentum=...` if that is meant",
    source=f"{DOCS}/torch.nn.BatchNorm2d.html",
    bad="""
from torch import nn

block = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64, 0.8))  # <--
""",
    good="""
from torch import nn

block = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64, momentum=0.2))
""",
)
def large_epsilon(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls(*BATCH_NORMS):
        eps = argument(call, 1, "eps")
        if (
            isinstance(eps, ast.Constant)
            and isinstance(eps.value, int | float)
            and eps.value >= LARGE
        ):
            yield Spot(call, unsure=len(call.args) < 2)


@rule(
    "TG311",
    "the momentum of a batch norm is the weight of the new batch",
    why="""In torch `momentum` is the weight of the new batch in the running statistics; in Caffe,
    Keras and TensorFlow it is that of the old ones. With 0.9 or 0.99 an evaluation normalizes by
    little more than the last training batch, and with 1 by that batch alone, which some want: it is
    a hint.""",
    remedy="write `momentum=0.1` for what they call 0.9",
    source=f"{DOCS}/torch.nn.BatchNorm2d.html",
    bad="""
from torch import nn

block = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64, momentum=0.99))  # <--
""",
    good="""
from torch import nn

block = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64, momentum=0.01))
""",
    severity=Severity.WARNING,
    once=True,
)
def foreign_momentum(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls(*BATCH_NORMS):
        momentum = argument(call, 2, "momentum")
        if (
            isinstance(momentum, ast.Constant)
            and isinstance(momentum.value, int | float)
            and 0.9 <= momentum.value <= 1
            and momentum.value is not True
            and not is_constant(argument(call, 4, "track_running_stats"), False)
        ):
            yield Spot(call, unsure=momentum.value == 1)


@rule(
    "TG309",
    "this attribute is not `requires_grad`, so nothing is frozen",
    why="""Python silently accepts any name as a new attribute of the tensor. It is a hint where no
    training of the tensor is found, or where the model is only evaluated.""",
    remedy="write `requires_grad`, or call `requires_grad_(False)`",
    source="https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad",
    bad="""
import torch


def optimizer_of(model):
    for parameter in model.backbone.parameters():
        parameter.require_grad = False  # <--
    return torch.optim.SGD(model.parameters(), lr=0.1)
""",
    good="""
import torch


def optimizer_of(model):
    for parameter in model.backbone.parameters():
        parameter.requires_grad = False
    return torch.optim.SGD(model.parameters(), lr=0.1)
""",
)
def misspelt_flag(module: Module) -> Iterator[Spot]:
    for node in module.attributes:
        # `model.requires_grad_ = False` replaces the method
        if node.attr in (*MISSPELT, "requires_grad_") and isinstance(node.ctx, ast.Store):
            owner = written(node.value)
            around = module.class_of(node)
            reads = (
                [] if around is None else [n for n in walk(around) if isinstance(n, ast.Attribute)]
            )
            if owner == "self" and any(n.attr == node.attr and n is not node for n in reads):
                continue  # a setting of one's own
            values = module.value_in(node.value, module.function(node))
            if is_set_right(module, node):
                continue
            unsure = any(map(is_fresh, values)) or not is_trained(module, node)
            yield Spot(node, node.attr, unsure)


def is_set_right(module: Module, node: ast.Attribute) -> bool:
    """Whether the same tensor's `requires_grad` is set too, or the attribute is of no tensor."""
    scope = module.function(node)
    made = [one for one in module.value_in(node.value, scope) if isinstance(one, ast.Call)]
    own = [found for one in made for found in module.project.classes_named(module, one.func) or ()]
    if own and not any(module.project.is_module_class(*one) for one in own):
        return True
    block = module.parents[module.statement(node)]
    return any(
        isinstance(one, ast.Attribute)
        and one is not node
        and one.attr in ("requires_grad", "requires_grad_")
        and same(one.value, node.value)
        and module.parents[module.statement(one)] is block
        for one in own_nodes(scope)
    )


def is_trained(module: Module, node: ast.Attribute) -> bool:
    """Whether what has the attribute is trained: a part of a model, or beside its optimizer."""
    project, scope = module.project, module.function(node)
    if any(same(receiver(call), node.value) for call in own_calls(scope, "eval")):
        return False
    around = module.class_of(node)
    if around is not None and project.is_module_class(module, around):
        return any("backward" in other.calls for other in project.near(module))
    users = [(module, scope)]
    users += [(other, other.function(call)) for other, call in project.calls_of(module, scope)]
    return any(
        any(other.is_torch(call.func, *OPTIMIZERS) for call in own_calls(user))
        or project.reaches(other, user, is_backward, depth=2)
        for other, user in users
    )


def is_fresh(value: ast.expr) -> bool:
    """Whether it is a tensor made of numbers, which needs no gradient anyway."""
    return any(isinstance(n, ast.Call) and last_name(n.func) in FACTORIES for n in walk(value))
