"""Functions and layers that are asked for at the wrong module of torch."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule

# names that people look for at torch, where no release has had them
OF_FUNCTIONAL = (
    *("adaptive_avg_pool2d", "avg_pool2d", "binary_cross_entropy", "cross_entropy", "elu", "gelu"),
    *("glu", "grid_sample", "gumbel_softmax", "hardtanh", "interpolate", "l1_loss", "leaky_relu"),
    *("linear", "logsigmoid", "mse_loss", "nll_loss", "normalize", "one_hot", "pad", "relu6"),
    *("silu", "smooth_l1_loss", "softmin", "softplus", "softsign", "upsample"),
)
OF_NN = (
    *("BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Conv1d", "Conv2d"),
    *("CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "GRU", "L1Loss", "LSTM", "LayerNorm"),
    *("Linear", "MSELoss", "Module", "ModuleList", "Parameter", "ReLU", "Sequential", "Sigmoid"),
    *("Softmax", "Tanh"),
)
WHERE = {
    **{f"torch.{name}": f"torch.nn.functional.{name}" for name in OF_FUNCTIONAL},
    **{f"torch.{name}": f"torch.nn.{name}" for name in OF_NN},
}


@rule(
    "TG351",
    "torch has this elsewhere, and not by this name",
    why="""The name belongs to `torch.nn` or `torch.nn.functional`, and no release of torch has had
    it at the top: the line raises an AttributeError when it is reached.""",
    remedy="use the name that is shown",
    source=f"{STABLE}/nn.functional.html",
    bad="""
import torch


def encoded(labels, classes):
    return torch.one_hot(labels, classes).float()  # <--
""",
    good="""
import torch


def encoded(labels, classes):
    return torch.nn.functional.one_hot(labels, classes).float()
""",
    once=True,
)
def not_at_torch(module: Module) -> Iterator[Spot]:
    if "torch" in module.project.own_parts:
        return
    for node in module.attributes:
        of_torch = isinstance(node.value, ast.Name) and module.imports.get(node.value.id) == "torch"
        whole = f"torch.{node.attr}"
        if whole in WHERE and of_torch and is_run(module, node):
            yield Spot(node, f"`{whole}`: `{WHERE[whole]}`")
    for statement in module.import_statements:
        if not isinstance(statement, ast.ImportFrom) or statement.module != "torch":
            continue
        for alias in statement.names:
            whole = f"torch.{alias.name}"
            if not statement.level and whole in WHERE and is_run(module, statement):
                yield Spot(statement, f"`{whole}`: `{WHERE[whole]}`")


def is_run(module: Module, node: ast.AST) -> bool:
    """Whether a name is read as it is: not set, not annotated, and no error is provided for."""
    if isinstance(node, ast.Attribute) and (
        not isinstance(node.ctx, ast.Load) or is_set(module, node.attr)
    ):
        return False
    inner = node
    for around in module.ancestors(node):
        if inner in (getattr(around, "annotation", None), getattr(around, "returns", None)):
            return False
        if isinstance(around, ast.Try) and inner in around.body and around.handlers:
            return False
        inner = around
    return not module.is_fallback(node)


def is_set(module: Module, name: str) -> bool:
    """Whether the project puts something of this name at torch itself."""
    return any(f"torch.{name}" in other.assigned for other in module.project.modules)
