"""The learning rate and the weight decay."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_nodes,
    written,
)
from ..shared.loops import OPTIMIZERS


@rule(
    "TG410",
    "weight decay also applies to biases and norms",
    why="""Decay is meant for the weights of matrices and kernels. Biases, the scales of norms and
    embeddings are not redundant: pulling them to zero only costs accuracy. It is a hint where
    nobody asked for decay and AdamW's default of 0.01 applies, where only a last layer is trained,
    and with SGD and Adam, where most published recipes decay everything.""",
    remedy="""give the optimizer two groups: parameters of two or more dimensions with decay, the
    others with `weight_decay=0`""",
    source="https://arxiv.org/abs/1812.01187",
    bad="""
import torch


def build(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)  # <--
""",
    good="""
import torch


def build(model):
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3)
""",
    severity=Severity.HINT,
)
def decayed_biases(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls(*OPTIMIZERS):
        if not module.qualified(call.func).startswith("torch.optim."):
            continue
        if not is_everything(argument(call, 0, "params")):
            continue
        decay = keyword(call, "weight_decay")
        plain = decay is None and last_name(call.func) == "AdamW"
        if has_stars(call) or not (plain or decay is not None):
            continue
        if is_constant(decay, 0, 0.0) or (decay is not None and zero_by_default(module, decay)):
            continue
        # elsewhere decay is a part of the gradient, and most published recipes decay all
        full = last_name(call.func) == "AdamW"
        yield Spot(call, unsure=plain or not full or trains_head(module, call))


def trains_head(module: Module, call: ast.Call) -> bool:
    """Whether the optimizer has a last layer alone: by its name, or as all else is frozen."""
    if mentions(argument(call, 0, "params") or call, "head", "probe", "classifier", "linear"):
        return True
    scope = module.function(call)
    return any(
        isinstance(node, ast.Assign)
        and last_name(node.targets[0]) == "requires_grad"
        and is_constant(node.value, False)
        for node in own_nodes(scope)
    )


def is_everything(params: ast.expr | None) -> bool:
    """Whether it is all parameters of a model, in one group: frozen ones left out, at most."""
    if isinstance(params, ast.ListComp | ast.GeneratorExp):
        plain = written(params.elt) == written(params.generators[0].target)
        conditions = params.generators[0].ifs
        trainable = all(last_name(one) == "requires_grad" for one in conditions)
        return plain and trainable and is_everything(params.generators[0].iter)
    if not isinstance(params, ast.Call):
        return False
    if last_name(params.func) in ("list", "filter") and params.args:
        trainable = all(mentions(one, "requires_grad") for one in params.args[:-1])
        return trainable and is_everything(params.args[-1])
    return last_name(params.func) == "parameters" and bool(written(params.func))


def zero_by_default(module: Module, decay: ast.expr) -> bool:
    """Whether a flag or parameter of that name is zero unless somebody asks for more."""
    name = last_name(decay)
    if isinstance(decay, ast.Subscript | ast.Call) or not name:
        return False
    flags = {"--" + name, "--" + name.replace("_", "-")}
    own: list[bool] = []
    others: list[bool] = []
    for other in module.project.code:
        for call in other.calls.get("add_argument", ()):
            if any(isinstance(a, ast.Constant) and a.value in flags for a in call.args):
                default = keyword(call, "default")
                zero = default is None or is_constant(default, 0, 0.0, None)
                (own if other is module else others).append(zero)
    return any(own) or (not own and bool(others) and all(others))  # scripts may share a helper
