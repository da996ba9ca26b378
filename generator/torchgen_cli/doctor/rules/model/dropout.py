"""Dropout that does not know of the mode."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    defaults_of,
    has_stars,
    is_constant,
    mentions,
    own_nodes,
    walk,
    written,
)
from ..shared.layers import DOCS
from .dropout_rates import is_left_at_zero

# Tacotron's prenet drops in evaluation too, as the paper says; a loss is part of the training
ON_PURPOSE = re.compile(r"prenet|(^|_)mc|monte|bayes|loss|augment|perturb", re.I)
DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d")


@rule(
    "TG306",
    "dropout stays on in evaluation",
    why="""`F.dropout` is on unless the call turns it off; `model.eval()` does not affect it. A
    dropout layer created in `forward` is always new, and so always in training mode. It is a hint
    in projects for torch before 1.0, where the function alone was off by default.""",
    remedy="pass `training=self.training`, or create an `nn.Dropout` in `__init__`",
    source=f"{DOCS}/torch.nn.functional.dropout.html",
    bad="""
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)  # <--
""",
    good="""
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5, training=self.training)
""",
)
def functional_dropout(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("1.0")
    for call in module.torch_calls(*DROPOUTS):
        if not module.qualified(call.func).startswith("torch.nn.functional."):
            continue
        if argument(call, 2, "training") is None and not has_stars(call):
            yield from (Spot(one, unsure=old) for one in dropped_always(module, call))
    for made in module.torch_calls("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"):
        parent = module.parents[made]
        called = isinstance(parent, ast.Call) and parent.func is made
        if called and not is_asked_for(module, made):
            yield Spot(made)


def dropped_always(module: Module, call: ast.Call) -> Iterator[ast.AST]:
    """The call, where it is part of a model, and its caller cannot turn it off."""
    rate = argument(call, 1, "p")
    around, scope = module.class_of(call), module.function(call)
    if is_constant(rate, 0, 0.0) or around is None or isinstance(scope, ast.Module):
        return
    names = f"{around.name} {getattr(scope, 'name', '')}"
    if not module.project.is_module_class(module, around) or ON_PURPOSE.search(names):
        return
    given = {one.arg for one in walk(scope.args) if isinstance(one, ast.arg)}
    if rate is not None and written(rate) in given:
        return
    if not is_asked_for(module, call) and not is_left_before(scope, call, rate):
        yield call


def is_left_before(scope: ast.AST, call: ast.Call, rate: ast.expr | None) -> bool:
    """Whether the mode decides before a call: the function returns, or the rate depends on it."""
    asking = [node for node in own_nodes(scope) if isinstance(node, ast.If | ast.Assign)]
    return any(
        isinstance(node.body[-1], ast.Return)
        and node.lineno < call.lineno
        and mentions(node.test, "training")
        if isinstance(node, ast.If)
        else isinstance(rate, ast.Name)
        and rate.id in map(written, node.targets)
        and mentions(node.value, "training")
        for node in asking
    )


def is_asked_for(module: Module, call: ast.Call) -> bool:
    """Whether it is under a condition on the mode, or on what callers leave out by default."""
    scope = module.function(call)
    defaults = defaults_of(scope) if isinstance(scope, FUNCTIONS) else {}
    optional = {name for name, value in defaults.items() if is_constant(value, False, None)}
    return any(
        mentions(one.test, "training", "train", "eval") or written(one.test) in optional
        for one in module.ancestors(call)
        if isinstance(one, ast.If | ast.IfExp)
    )


@rule(
    "TG307",
    "attention dropout stays on in evaluation",
    why="""`scaled_dot_product_attention` always applies `dropout_p`: it is a function, and
    `model.eval()` does not affect it. It is a hint where the rate is 0 by default and nothing else
    is passed.""",
    remedy="pass `dropout_p=self.dropout if self.training else 0.0`",
    source=f"{DOCS}/torch.nn.functional.scaled_dot_product_attention.html",
    bad="""
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = 0.1

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.rate)  # <--
""",
    good="""
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = 0.1

    def forward(self, q, k, v):
        rate = self.rate if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=rate)
""",
)
def attention_dropout(module: Module) -> Iterator[ast.AST | Spot]:
    for call in module.torch_calls("scaled_dot_product_attention"):
        rate = argument(call, 4, "dropout_p")
        if rate is None or mentions(module.function(call), "training"):
            continue
        if isinstance(rate, ast.Constant) and rate.value not in (0, 0.0):
            yield call
        elif isinstance(rate, ast.Attribute) and written(rate).startswith("self."):
            around = module.class_of(call)
            values = module.value_in(rate, around or module.tree)
            if values and not any(is_constant(value, 0, 0.0) for value in values):
                zero = around and all(is_left_at_zero(module, around, one) for one in values)
                yield Spot(call, unsure=bool(zero))
