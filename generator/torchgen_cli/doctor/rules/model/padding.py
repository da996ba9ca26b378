"""The row of an embedding that stands for nothing."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import argument, is_constant, last_name, mentions, receiver, walk, written
from ..shared.layers import DOCS

DRAWS = (
    *("uniform_", "normal_", "trunc_normal_"),
    *("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_"),
)


@rule(
    "TG323",
    "the padding row of an embedding is no longer zero",
    why="""`padding_idx` sets the padding row to zero once, when the layer is created, and keeps
    gradients from it. Initializing the whole weight again gives the padding a random vector, which
    training never changes. It is a hint where masks, lengths or a norm keep that vector from what
    follows.""",
    remedy="set the row to zero again: `weight.data[padding_idx].zero_()`",
    source=f"{DOCS}/torch.nn.Embedding.html",
    bad="""
from torch import nn


class Words(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, 64, padding_idx=0)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # <--

    def forward(self, x):
        return self.embedding(x).sum(dim=1)
""",
    good="""
from torch import nn


class Words(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, 64, padding_idx=0)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        self.embedding.weight.data[0].zero_()

    def forward(self, x):
        return self.embedding(x).sum(dim=1)
""",
    severity=Severity.WARNING,
)
def drawn_padding(module: Module) -> Iterator[Spot]:
    padded = {
        (written(statement.targets[0]), place_of(module, statement.targets[0]))
        for call in module.torch_calls("Embedding")
        if not is_constant(argument(call, 2, "padding_idx") or ast.Constant(None), None)
        if isinstance(statement := module.parents[call], ast.Assign)
    }
    for name in DRAWS if padded else ():
        for call in module.calls.get(name, ()):
            weight = call.args[0] if module.is_torch(call.func) and call.args else receiver(call)
            if isinstance(weight, ast.Attribute) and weight.attr == "data":
                weight = weight.value
            if not isinstance(weight, ast.Attribute) or weight.attr != "weight":
                continue
            where = (written(weight.value), place_of(module, weight.value))
            if where[0] and where in padded and not zeroed(module, call):
                around = module.class_of(call) or module.function(call)
                yield Spot(call, unsure=mentions(around, "mask", "norm", "pack", "length"))


def place_of(module: Module, name: ast.expr) -> ast.AST | None:
    """Where a name is known: in its class, or in its function."""
    return module.class_of(name) if "." in written(name) else module.function(name)


def zeroed(module: Module, call: ast.Call) -> bool:
    """Whether a single row is set in the same class, or function."""
    around = module.class_of(call) or module.function(call)
    return any(
        isinstance(node, ast.Subscript)
        and ((mentions(node.value, "weight", "embed") and mentions(node, "pad")) or is_row(node))
        for node in walk(around)
    )


def is_row(node: ast.Subscript) -> bool:
    """Whether it is a row of a weight: `weight[0]`, `weight.data[i]`."""
    owner = node.value.value if last_name(node.value) == "data" else node.value  # type: ignore[attr-defined]
    return last_name(owner) == "weight"
