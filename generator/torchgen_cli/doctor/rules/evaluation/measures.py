"""What is added up, and by what a sum is divided."""

import ast
import re
from collections.abc import Iterator

from ...syntax import (
    is_constant,
    last_name,
    own_nodes,
    receiver,
    written,
)

# of a batch: its loss, or a measure that is a mean over it
MEASURED = re.compile(r"loss|accuracy|psnr|ssim|lpips|dice|(^|_)(acc|iou|mae|rmse|mape)(_|$)", re.I)
MEANS = (
    "cross_entropy",
    "nll_loss",
    "mse_loss",
    "l1_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "smooth_l1_loss",
    "criterion",
)
NUMBERS = ("item", "float", "detach", "cpu", "numpy", "to", "mean")


def counts_samples(divisor: ast.expr | None, scope: ast.AST) -> bool:
    """Whether it is a number of samples: `len(loader.dataset)`, or what `n += len(x)` adds up."""
    if divisor is None:
        return False
    if isinstance(divisor, ast.Call):
        return (
            last_name(divisor.func) == "len"
            and bool(divisor.args)
            and (last_name(divisor.args[0]) == "dataset")
        )
    name = written(divisor)
    return bool(name) and any(
        isinstance(node, ast.AugAssign) and written(node.target) == name and sizes(node.value)
        for node in own_nodes(scope)
    )


def sizes(value: ast.expr) -> bool:
    """Whether it is the size of a batch: `len(x)`, `x.size(0)`, `x.shape[0]`."""
    if isinstance(value, ast.Subscript):
        return last_name(value.value) == "shape" and is_constant(value.slice, 0)
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return False
    name = last_name(value.func)
    return name == "len" or (name == "size" and is_constant(value.args[0], 0))


def divisions(scope: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """(what, by what) of `a / b` and `a /= b`."""
    for node in own_nodes(scope):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield written(node.left), node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            yield written(node.target), node.value


def without_numbers(value: ast.expr) -> ast.expr | None:
    """The tensor in `float(loss.detach())`."""
    while isinstance(value, ast.Call) and last_name(value.func) in NUMBERS:
        inner = receiver(value) or (value.args[0] if value.args else None)
        if inner is None:
            return None
        value = inner
    return value


def of_data(value: ast.expr | None) -> ast.expr | None:
    """The tensor in `loss.data[0]`."""
    while isinstance(value, ast.Subscript | ast.Attribute) and (
        isinstance(value, ast.Subscript) or value.attr == "data"
    ):
        value = value.value
    return value


def is_loss(given: ast.expr) -> bool:
    """Whether it is a loss by its name, as a number: `loss.item()`."""
    value = of_data(without_numbers(given))
    if isinstance(value, ast.Call):  # F.cross_entropy(...) itself; a mean unless it is told
        return last_name(value.func) in MEANS and not value.keywords
    if not isinstance(value, ast.Name | ast.Attribute):
        return False
    return MEASURED.search(last_name(value)) is not None


def counts_batches(divisor: ast.expr | None, source: str = "") -> bool:
    """Whether it is a number of batches: `len(loader)`, `i + 1`; or of a loader's samples."""
    if isinstance(divisor, ast.Call) and last_name(divisor.func) == "len" and divisor.args:
        name = written(divisor.args[0])
        return "loader" in name.lower() or (bool(name) and name == source)
    if isinstance(divisor, ast.BinOp) and isinstance(divisor.op, ast.Add):
        return is_constant(divisor.right, 1) and isinstance(divisor.left, ast.Name)
    return False
