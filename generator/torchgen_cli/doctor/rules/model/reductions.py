"""How a loss is made one number."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import has_stars, keyword
from ..shared.layers import DOCS


@rule(
    "TG312",
    "`reduce` is true for any string",
    why="""The old argument `reduce` takes True or False. A string is true, so `reduce="none"` gives
    the mean of all elements; weights applied to it afterwards cancel out.""",
    remedy='write `reduction="none"`',
    source=f"{DOCS}/torch.nn.BCEWithLogitsLoss.html",
    bad="""
import torch.nn.functional as F


def loss_of(pred, mask, weights):
    loss = F.binary_cross_entropy_with_logits(pred, mask, reduce="none")  # <--
    return (weights * loss).sum() / weights.sum()
""",
    good="""
import torch.nn.functional as F


def loss_of(pred, mask, weights):
    loss = F.binary_cross_entropy_with_logits(pred, mask, reduction="none")
    return (weights * loss).sum() / weights.sum()
""",
)
def text_for_truth(module: Module) -> Iterator[ast.AST]:
    for node in module.keywords:
        call = module.parents[node]
        if (
            node.arg in ("reduce", "size_average")
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and isinstance(call, ast.Call)
            and module.qualified(call.func).startswith("torch.nn.")
        ):
            yield call


@rule(
    "TG315",
    "the mean over all elements is not a KL divergence",
    why="""By default `kl_div` divides by batch and classes: the term is smaller than the formula by
    the number of classes, and its weight changes with that. Torch warns about it.""",
    remedy="""pass `reduction="batchmean"`, and retune the term's weight""",
    source=f"{DOCS}/torch.nn.KLDivLoss.html",
    bad="""
import torch.nn.functional as F
from torch import nn


def distill(outputs, teacher, temperature):
    soft = F.log_softmax(outputs / temperature, dim=1)
    return nn.KLDivLoss()(soft, F.softmax(teacher / temperature, dim=1))  # <--
""",
    good="""
import torch.nn.functional as F
from torch import nn


def distill(outputs, teacher, temperature):
    soft = F.log_softmax(outputs / temperature, dim=1)
    return nn.KLDivLoss(reduction="batchmean")(soft, F.softmax(teacher / temperature, dim=1))
""",
    severity=Severity.WARNING,
)
def mean_of_elements(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("KLDivLoss", "kl_div"):
        chosen = (keyword(call, name) for name in ("reduction", "size_average", "reduce"))
        plain = all(one is None for one in chosen) and not has_stars(call)
        if plain and len(call.args) in (0, 2):
            yield call
