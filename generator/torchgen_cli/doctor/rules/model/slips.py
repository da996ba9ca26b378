"""Arguments and names that mean something else than they look."""

import ast
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

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
# those of the last years
RELEASES = {
    "torchaudio": [*(f"0.{n}.0" for n in range(7, 14)), *(f"2.{n}.0" for n in range(12))],
    "torchvision": [f"0.{n}.0" for n in range(8, 29)],
}
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


@rule(
    "TG316",
    "a version is compared as a string",
    why="""Strings are compared character by character: "0.10.0" comes before "0.3.0", and "2.10"
    before "2.9". The branch for an old release is taken with a new one. `torch.__version__` is not
    a plain string since 1.10, and compares correctly. It is a hint where the existing releases
    compare correctly, or are not known here.""",
    remedy="compare `packaging.version.Version(...)`, or check for the function with `hasattr`",
    source="https://packaging.pypa.io/en/stable/version.html",
    bad="""
import torchvision

NEW = torchvision.__version__ >= "0.9"  # <--
""",
    good="""
import torchvision
from packaging.version import Version

NEW = Version(torchvision.__version__) >= Version("0.9")
""",
    severity=Severity.WARNING,
)
def version_as_text(module: Module) -> Iterator[Spot]:
    for node in module.attributes:
        around = module.parents[node]
        if node.attr != "__version__" or not isinstance(around, ast.Compare):
            continue
        if module.qualified(node) == "torch.__version__":
            continue  # a text until 1.9, where letters are in the order of numbers
        ordered = all(isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in around.ops)
        sides = [around.left, *around.comparators]
        texts = [one for one in sides if isinstance(one, ast.Constant)]
        if ordered and any(isinstance(one.value, str) for one in texts):
            library = module.qualified(node.value)
            given = [one.value for one in texts if isinstance(one.value, str)]
            yield Spot(around, unsure=not any(is_misplaced(library, one) for one in given))


def is_misplaced(library: str, text: str) -> bool:
    """Whether a release of a library is on the wrong side of a version, where texts are compared.

    "0.10.0" is, of "0.9": it comes before it.
    """
    try:
        version = Version(text)
    except InvalidVersion:
        return False
    return any((one < text) is not (Version(one) < version) for one in RELEASES.get(library, ()))


@rule(
    "TG317",
    "each parameter is collected once for every module around it",
    why="""`modules()` visits all levels, and each `parameters()` descends again: a parameter three
    levels deep appears three times. SGD then steps three times as far with it, and newer releases
    of torch warn.""",
    remedy="use `parameters()` of the model once, or `parameters(recurse=False)` of each module",
    source=f"{DOCS}/torch.nn.Module.html#torch.nn.Module.parameters",
    bad="""
def slow(model):
    for part in model.backbone.modules():
        for parameter in part.parameters():  # <--
            if parameter.requires_grad:
                yield parameter
""",
    good="""
def slow(model):
    for parameter in model.backbone.parameters():
        if parameter.requires_grad:
            yield parameter
""",
)
def taken_again(module: Module) -> Iterator[ast.AST]:
    for loop in module.loops:
        if not isinstance(loop, ast.For) or not is_call_of(loop.iter, "modules"):
            continue
        for inner in walk(loop):
            if (
                isinstance(inner, ast.For)
                and is_call_of(inner.iter, "parameters")
                and isinstance(inner.iter, ast.Call)
                and same(receiver(inner.iter), loop.target)
                and not inner.iter.args
                and not inner.iter.keywords
                and not chooses(module, loop, inner)
                and any(isinstance(node, ast.Yield) or is_kept(node) for node in walk(inner))
            ):
                yield inner


def chooses(module: Module, outer: ast.For, inner: ast.For) -> bool:
    """Whether only some modules are taken, or only parameters that are not there yet."""
    between = [one for one in module.ancestors(inner) if outer in module.ancestors(one)]
    skips = any(isinstance(node, ast.Continue | ast.Break) for node in walk(outer))
    operators = [op for n in walk(inner) if isinstance(n, ast.Compare) for op in n.ops]
    known = any(isinstance(one, ast.In | ast.NotIn) for one in operators)
    return skips or known or any(isinstance(one, ast.If) for one in between)


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether it calls a method of this name."""
    return isinstance(node, ast.Call) and last_name(node.func) == name


def is_kept(node: ast.AST) -> bool:
    """Whether it puts something into a list."""
    return is_call_of(node, "append") or is_call_of(node, "add_param_group")
