"""How a loss is made one number."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import has_stars, keyword, last_name, same
from ..shared.layers import DOCS

# names of the number of classes
CLASSES = re.compile(r"class|(^|_)n?_?(nc|cls|vocab)(_|$)|^scale$", re.I)


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
        if plain and len(call.args) in (0, 2) and not is_multiplied(module, call):
            yield call


def is_multiplied(module: Module, call: ast.Call) -> bool:
    """Whether each mean is multiplied by the number of classes, and so is one over the batch."""
    made = module.parents[call]
    means = [made if isinstance(made, ast.Call) and made.func is call else call]
    if isinstance(made, ast.Assign):  # self.kl = nn.KLDivLoss()
        name = last_name(made.targets[0])
        means = [one for one in module.calls.get(name, ()) if same(one.func, made.targets[0])]
    return bool(means) and all(
        any(CLASSES.search(last_name(factor)) for factor in factors(module, one)) for one in means
    )


def factors(module: Module, node: ast.AST) -> Iterator[ast.expr]:
    """By what a value is multiplied where it stands."""
    around = module.parents[node]
    while isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mult):
        yield around.left if around.right is node else around.right
        node, around = around, module.parents[around]
