"""Losses of log-probabilities that are given something else."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import argument, has_stars, is_constant, keyword
from ..shared.criteria import kinds, loss_calls
from ..shared.latest import unshaped
from ..shared.layers import DOCS
from .logits import is_sigmoid, of_model_with
from .softmax import is_log_softmax, is_softmax

OF_LOGARITHMS = {"NLLLoss", "nll_loss", "KLDivLoss", "kl_div"}


@rule(
    "TG330",
    "the loss takes log-probabilities, but gets probabilities",
    why="""`nll_loss` picks the value of each label and changes its sign: it takes no logarithm.
    With probabilities it goes down to -1 instead of 0, and its gradient is that of another loss.
    `kl_div` takes the logarithm of its target only.""",
    remedy="pass it `F.log_softmax(scores, dim=...)`",
    source=f"{DOCS}/torch.nn.functional.kl_div.html",
    bad="""
import torch.nn.functional as F


def loss_of(model, images, labels):
    return F.nll_loss(F.softmax(model(images), dim=1), labels)  # <--
""",
    good="""
import torch.nn.functional as F


def loss_of(model, images, labels):
    return F.nll_loss(F.log_softmax(model(images), dim=1), labels)
""",
)
def probabilities_for_logarithms(module: Module) -> Iterator[Spot]:
    for call in loss_calls(module):
        given, target = argument(call, 0, "input"), argument(call, 1, "target")
        if given is None or target is None or has_stars(call):
            continue
        found = kinds(module, call.func)
        if not found <= OF_LOGARITHMS:
            continue
        value = unshaped(module, given, call)
        if isinstance(value, ast.Call) and (
            is_probability(module, value) or of_model_with(module, value, "Softmax")
        ):
            yield Spot(call)
        elif found == {"kl_div"} and takes_plain(call):
            wanted = unshaped(module, target, call)
            if isinstance(wanted, ast.Call) and is_log_softmax(module, wanted):
                yield Spot(call, "its target holds log-probabilities, without `log_target=True`")


def is_probability(module: Module, call: ast.Call) -> bool:
    """Whether a call is a softmax or a sigmoid, of whatever form."""
    if is_softmax(module, call) or is_sigmoid(module, call):
        return True
    return kinds(module, call.func) == {"Softmax"}


def takes_plain(call: ast.Call) -> bool:
    """Whether the target of `kl_div` is taken for probabilities."""
    asked = keyword(call, "log_target")
    return asked is None or is_constant(asked, False)
