"""How a loss is made one number."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..rule import rule
from .layers import DOCS


@rule(
    "TG312",
    "`reduce` is true, whatever the text",
    why="""The old argument `reduce` takes True or False. A text is true, so `reduce="none"`
    gives the mean of all elements; weights that are applied to it afterwards cancel out.""",
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
