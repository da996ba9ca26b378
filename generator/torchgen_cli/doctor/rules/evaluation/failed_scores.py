"""Scores that could not be computed, and count as the best there is."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import is_constant, last_name, walk
from ..checkpoint.swallowed import catches_all

# distances, of which 0 is the best
DISTANCE = re.compile(
    r"(^|_)(hd|hd_?95|hausdorff|assd|asd|rmse|mae|mse|cer|wer|fid|lpips|epe)(_|$)", re.I
)


@rule(
    "TG520",
    "a distance that cannot be computed counts as 0, the best value",
    why="""A prediction for which the distance fails, such as an empty mask, is among the worst, but
    enters the mean as a perfect one. The more predictions fail, the better the model seems.""",
    remedy="leave such samples out and count them, or give them the worst value",
    source="https://docs.python.org/3/tutorial/errors.html#handling-exceptions",
    bad="""
def scores(prediction, mask, overlap, surface):
    dice = overlap(prediction, mask)
    try:
        hd95 = surface(prediction, mask)
    except Exception:
        hd95 = 0  # <--
    return dice, hd95
""",
    good="""
def scores(prediction, mask, overlap, surface):
    dice = overlap(prediction, mask)
    if not prediction.any() or not mask.any():
        return dice, float("nan")
    return dice, surface(prediction, mask)
""",
    severity=Severity.WARNING,
)
def best_on_error(module: Module) -> Iterator[ast.AST]:
    for name, statements in module.assigned.items():
        if not DISTANCE.search(name.rpartition(".")[2]):
            continue
        for statement in statements:
            handler = module.parents[statement]
            if (
                isinstance(handler, ast.ExceptHandler)
                and catches_all(handler.type)
                and is_constant(statement.value, 0, 0.0)
                and is_computed(module.parents[handler], name)
            ):
                yield statement


def is_computed(tried: ast.AST, name: str) -> bool:
    """Whether what is tried sets a name to what a call gives."""
    return isinstance(tried, ast.Try) and any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and any(last_name(target) == name.rpartition(".")[2] for target in one.targets)
        for part in tried.body
        for one in walk(part)
    )
