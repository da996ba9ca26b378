"""Averages over batches of uneven size."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import is_constant, last_name, own_calls, own_nodes, receiver, written
from .evaluation import evaluation_loops

NUMBERS = ("item", "float", "detach", "cpu", "numpy")


@rule(
    "TG504",
    "the evaluation's loss is a mean of batch means",
    why="""The last batch is smaller, and its samples count for more: the figure changes with the
    batch size. Divided by the number of samples, as some do, it is a batch too small as well.""",
    remedy="add up `loss.item() * len(batch)`, and divide by the number of samples",
    source="https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html",
    bad="""
import torch


@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total_loss = 0.0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total_loss += loss.item()  # <--
    return total_loss / len(val_loader)
""",
    good="""
import torch


@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total_loss, count = 0.0, 0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total_loss += loss.item() * len(images)
        count += len(images)
    return total_loss / count
""",
    severity=Severity.WARNING,
)
def mean_of_means(module: Module) -> Iterator[ast.AST | Spot]:
    if module.project.has_framework(module) or sums_losses(module):
        return
    for loop, _, scope in evaluation_loops(module):
        divided = dict(divisions(scope))
        yield from averaged_lists(module, loop, scope)
        for node in own_nodes(loop):
            if (
                isinstance(node, ast.AugAssign)
                and isinstance(node.op, ast.Add)
                and is_loss(node.value)
                and counts_batches(divided.get(written(node.target)))
            ):
                yield node


def averaged_lists(module: Module, loop: ast.For, scope: ast.AST) -> Iterator[ast.AST]:
    """Where a loss of each batch is put into a list, of which a mean is taken."""
    means = {
        written(call.args[0])
        for call in (own_calls(scope, "mean", "average"))
        if module.qualified(call.func) in ("numpy.mean", "numpy.average") and call.args
    }
    for call in own_calls(loop, "append"):
        kept = receiver(call)
        listed = kept is not None and written(kept) in means - {""}
        if listed and call.args and is_loss(call.args[0]):
            yield call


def sums_losses(module: Module) -> bool:
    """Whether a loss is asked for as a sum, or for each sample, in the same program."""
    return any(
        (node.arg == "reduction" and is_constant(node.value, "sum", "none"))
        or (node.arg in ("size_average", "reduce") and is_constant(node.value, False))
        for other in module.project.near(module)
        for node in other.keywords
    )


def divisions(scope: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """(what, by what) of `a / b` and `a /= b`."""
    for node in own_nodes(scope):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield written(node.left), node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            yield written(node.target), node.value


def is_loss(value: ast.expr) -> bool:
    """Whether it is a loss by its name, as a number: `loss.item()`."""
    while isinstance(value, ast.Call) and last_name(value.func) in NUMBERS:
        inner = receiver(value) or (value.args[0] if value.args else None)
        if inner is None:
            return False
        value = inner
    return "loss" in last_name(value).lower() and isinstance(value, ast.Name | ast.Attribute)


def counts_batches(divisor: ast.expr | None) -> bool:
    """Whether it is a number of batches: `len(loader)`, `i + 1`; or of a loader's samples."""
    if isinstance(divisor, ast.Call) and last_name(divisor.func) == "len" and divisor.args:
        return "loader" in written(divisor.args[0]).lower()
    if isinstance(divisor, ast.BinOp) and isinstance(divisor.op, ast.Add):
        return is_constant(divisor.right, 1) and isinstance(divisor.left, ast.Name)
    return False
