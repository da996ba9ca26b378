"""A bias that the next layer takes away."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from ...project import Module
from ...rule import Severity, rule
from ...syntax import argument, blocks, everything, has_stars, is_constant, walk, written
from ..shared.layers import module_classes

CONVOLUTIONS = {f"Conv{n}d" for n in (1, 2, 3)} | {f"ConvTranspose{n}d" for n in (1, 2, 3)}
CONVOLUTIONS |= {"Linear"}
MEAN_FREE = {f"{kind}Norm{n}d" for kind in ("Batch", "Instance") for n in (1, 2, 3)}
MEAN_FREE |= {"SyncBatchNorm"}
BIAS = {**{name: 7 for name in CONVOLUTIONS}, "Linear": 2}  # the place of `bias`


@rule(
    "TG303",
    "the bias before the norm does nothing",
    why="""The norm subtracts the mean of each channel, and any bias with it. The parameter costs
    memory and time, gets almost no gradient, and still decays.""",
    remedy="build the layer with `bias=False`",
    source="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    bad="""
from torch import nn

block = nn.Sequential(
    nn.Conv2d(3, 16, 3),  # <--
    nn.BatchNorm2d(16),
    nn.ReLU(),
)
""",
    good="""
from torch import nn

block = nn.Sequential(
    nn.Conv2d(3, 16, 3, bias=False),
    nn.BatchNorm2d(16),
    nn.ReLU(),
)
""",
    severity=Severity.HINT,
)
def bias_before_norm(module: Module) -> Iterator[ast.AST]:
    if not any(True for _ in module.torch_calls(*MEAN_FREE)):
        return
    rows: list[list[ast.expr]] = [call.args for call in module.torch_calls("Sequential")]
    rows += [n.elts for n in walk(module.tree) if isinstance(n, ast.List) and len(n.elts) > 1]
    for row in rows:
        for one, other in pairwise(row):
            if (
                is_biased(module, one)
                and isinstance(other, ast.Call)
                and module.is_torch(other.func, *MEAN_FREE)
            ):
                yield one
    for node in module_classes(module):
        yield from bias_in_forward(module, node)


def is_biased(module: Module, node: ast.AST | None) -> bool:
    """Whether it makes a layer with a bias."""
    if not isinstance(node, ast.Call) or not module.is_torch(node.func, *CONVOLUTIONS):
        return False
    if has_stars(node):
        return False
    bias = argument(node, BIAS[module.qualified(node.func).rpartition(".")[2]], "bias")
    return bias is None or is_constant(bias, True)


def bias_in_forward(module: Module, node: ast.ClassDef) -> Iterator[ast.AST]:
    """Layers whose output goes straight into a norm: `self.norm(self.conv(x))`."""
    methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
    if "forward" not in methods or "__init__" not in methods:
        return
    made: dict[str, list[ast.Assign]] = {}
    for statement in walk(methods["__init__"]):
        if isinstance(statement, ast.Assign):
            made.setdefault(written(statement.targets[0]), []).append(statement)
    uses = [n for n in everything(node) if isinstance(n, ast.Attribute) and n.attr != "forward"]
    for norm, layer in inside_pairs(methods["forward"]):
        norms, layers = made.get(norm, []), made.get(layer, [])
        if len(norms) != 1 or len(layers) != 1:
            continue
        makes_norm = norms[0].value
        used = [n for n in uses if written(n) == layer and isinstance(n.ctx, ast.Load)]
        if (
            isinstance(makes_norm, ast.Call)
            and module.is_torch(makes_norm.func, *MEAN_FREE)
            and is_biased(module, layers[0].value)
            and len(used) == 1
        ):
            yield layers[0]


def inside_pairs(forward: ast.AST) -> Iterator[tuple[str, str]]:
    """(outer, inner) of calls that take the other's result, at once or by the next statement."""
    for node in walk(forward):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Call):
            yield written(node.func), written(node.args[0].func)
    for block in blocks(forward):
        for one, other in pairwise(block):
            if not (isinstance(one, ast.Assign) and isinstance(other, ast.Assign)):
                continue
            inner, outer, name = one.value, other.value, written(one.targets[0])
            if not (isinstance(inner, ast.Call) and isinstance(outer, ast.Call) and outer.args):
                continue
            if name and written(outer.args[0]) == name:
                yield written(outer.func), written(inner.func)
