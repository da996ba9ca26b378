"""Sums divided by a number that is not theirs."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import last_name, own_nodes, walk, written
from ..shared.choices import is_chosen_by
from ..shared.loops import is_backward


@rule(
    "TG505",
    "the sum is divided by one less than the number of batches",
    why="""`enumerate` counts from 0, so after the loop its index is that of the last batch: N - 1
    for N batches. With one batch it is a division by zero. It is a hint where nothing is chosen by
    the result, and an evaluation does not return it.""",
    remedy="divide by `len(loader)`, or by a count of samples",
    source="https://docs.python.org/3/library/functions.html#enumerate",
    bad="""
def train(loader, step):
    total = 0.0
    for number, batch in enumerate(loader):
        total += step(batch)
    return total / number  # <--
""",
    good="""
def train(loader, step):
    total = 0.0
    for batch in loader:
        total += step(batch)
    return total / len(loader)
""",
)
def one_too_few(module: Module) -> Iterator[Spot]:
    for loop in module.loops:
        counter = counted_from_zero(loop)
        if not counter or not divides(module, counter):
            continue
        inside = set(walk(loop))
        added = {
            written(node.target)
            for node in inside
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)
        }
        scope = module.function(loop)
        later = [
            node
            for node in own_nodes(scope)
            if node not in inside and getattr(node, "lineno", 0) > (loop.end_lineno or 0)
        ]
        names = [node for node in later if isinstance(node, ast.Name) and node.id == counter]
        if any(isinstance(node.ctx, ast.Store) for node in names):
            continue
        for node in later:
            if isinstance(node, ast.BinOp):
                total, count = node.left, node.right
            elif isinstance(node, ast.AugAssign):
                total, count = node.target, node.value
            else:
                continue
            divided = isinstance(node.op, ast.Div) and written(count) == counter
            if divided and written(total) in added - {""}:
                trains = module.project.reaches(module, loop, is_backward)
                result = isinstance(module.parents[node], ast.Return) and not trains
                chosen = is_chosen_by(module, scope, written(total))
                yield Spot(node, unsure=not (result or chosen))


def divides(module: Module, name: str) -> bool:
    """Whether something in the file is divided by a name: asked of the text, which is fast."""
    text = module.project.contents[module.name]
    return re.search(rb"/=?\s*%s\b" % re.escape(name).encode(), text) is not None


def counted_from_zero(loop: ast.AST) -> str:
    """The name of the number in `for number, batch in enumerate(loader)`; empty elsewhere."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Tuple):
        return ""
    counting = loop.iter
    while (
        isinstance(counting, ast.Call) and last_name(counting.func) != "enumerate" and counting.args
    ):
        counting = counting.args[0]  # tqdm(enumerate(loader))
    if not isinstance(counting, ast.Call) or last_name(counting.func) != "enumerate":
        return ""
    if len(counting.args) != 1 or counting.keywords:  # it begins elsewhere
        return ""
    number = loop.target.elts[0]
    again = any(
        isinstance(node, ast.AugAssign) and written(node.target) == written(number)
        for node in walk(loop)
    )
    return "" if again else written(number)
