"""Arguments and names that mean something else than they look."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import argument, keyword, last_name, walk, written
from .layers import DOCS

BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")
LARGE = 0.01  # of an epsilon, which is 1e-5 by default
FACTORIES = ("zeros", "ones", "full", "rand", "randn", "arange", "tensor", "Tensor", "FloatTensor")
MISSPELT = ("require_grad", "requires_gard", "require_grads", "requires_grads", "required_grad")


@rule(
    "TG308",
    "the second argument of a batch norm is `eps`, not the momentum",
    why="""`BatchNorm2d(64, 0.8)` adds 0.8 to every variance, so channels are no longer scaled
    to one, and leaves the momentum at 0.1.""",
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
def large_epsilon(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls(*BATCH_NORMS):
        eps = argument(call, 1, "eps")
        if (
            isinstance(eps, ast.Constant)
            and isinstance(eps.value, int | float)
            and eps.value >= LARGE
        ):
            yield call


@rule(
    "TG311",
    "the momentum of a batch norm is the share of the new batch",
    why="""Torch adds `momentum` times the new batch to its running statistics; Caffe, Keras and
    TensorFlow keep that share of the old ones. With 0.9 or 0.99 an evaluation normalizes by little
    more than the last batch of the training.""",
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
def foreign_momentum(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls(*BATCH_NORMS):
        momentum = argument(call, 2, "momentum")
        if (
            isinstance(momentum, ast.Constant)
            and isinstance(momentum.value, float)
            and 0.9 <= momentum.value < 1
        ):
            yield call


@rule(
    "TG309",
    "this attribute is not `requires_grad`, so nothing is frozen",
    why="Python takes any name for a new attribute of the tensor, without a word.",
    remedy="write `requires_grad`, or call `requires_grad_(False)`",
    source="https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad",
    bad="""
def freeze(model):
    for parameter in model.parameters():
        parameter.require_grad = False  # <--
""",
    good="""
def freeze(model):
    for parameter in model.parameters():
        parameter.requires_grad = False
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
            yield Spot(node, node.attr, unsure=any(map(is_fresh, values)))


def is_fresh(value: ast.expr) -> bool:
    """Whether it is a tensor made of numbers, which needs no gradient anyway."""
    return any(isinstance(n, ast.Call) and last_name(n.func) in FACTORIES for n in walk(value))


@rule(
    "TG310",
    "a flag of `type=bool` is true, whatever is given",
    why="""argparse calls `bool` on the text, and any text but the empty one is true:
    `--pretrained False` asks for a pretrained model.""",
    remedy="use `action=argparse.BooleanOptionalAction`, or `store_true`",
    source="https://docs.python.org/3/library/argparse.html#type",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--pretrained", type=bool, default=True)  # <--
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--pretrained", action=argparse.BooleanOptionalAction, default=True)
""",
    once=True,
)
def boolean_text(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("add_argument", ()):
        if written(keyword(call, "type") or call) == "bool":
            yield call
