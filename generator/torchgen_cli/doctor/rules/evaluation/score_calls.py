"""Calls whose result is a score, and no mean over samples: precision, F1, an area, an IoU."""

import ast
from collections.abc import Callable, Iterator

from ...project import Module
from ...syntax import is_constant, keyword, last_name, own_nodes, walk, written
from ..shared.origins import called

# of sklearn: not the mean of something over samples, as the accuracy is
SCORES = {"average_precision_score", "balanced_accuracy_score", "cohen_kappa_score", "f1_score"}
SCORES |= {"explained_variance_score", "fbeta_score", "jaccard_score", "matthews_corrcoef"}
SCORES |= {"precision_recall_fscore_support", "precision_score", "r2_score", "recall_score"}
SCORES |= {"roc_auc_score"}
SUPPORT = 3  # the last of what `precision_recall_fscore_support` returns is a number of samples
# (a value, which of the values it holds is meant; None where it is the value itself)
Given = tuple[ast.expr, int | None]
Holds = Callable[[Module, ast.Call, int | None], bool]


def is_made_by(module: Module, around: ast.AST, value: ast.expr, holds: Holds) -> bool:
    """Whether a part of a value is such a call, or a name that a loop gives nothing but such."""
    for one in walk(value):
        made: list[Given] = [(one, None)] if isinstance(one, ast.Call) else []
        if isinstance(one, ast.Name):
            made = list(given_within(around, one.id))
        if made and all(
            isinstance(call, ast.Call) and holds(module, call, place) for call, place in made
        ):
            return True
    return False


def given_within(around: ast.AST, name: str) -> Iterator[Given]:
    """What a name is given below a node: the whole value, or one of those it holds."""
    for node in own_nodes(around):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if written(target) == name:
                yield node.value, None
            elif isinstance(target, ast.Tuple):
                places = enumerate(map(written, target.elts))
                yield from (part_of(node.value, place) for place, one in places if one == name)


def part_of(value: ast.expr, place: int) -> Given:
    """One of the values that an expression holds, by its place."""
    if isinstance(value, ast.Tuple) and place < len(value.elts):
        return value.elts[place], None
    return value, place


def scores(module: Module, call: ast.Call, place: int | None = None) -> bool:
    """Whether it computes one of these scores; the mean over samples is none."""
    whole = module.qualified(call.func)
    if not whole.startswith("sklearn.") or last_name(call.func) not in SCORES or place == SUPPORT:
        return False
    return not is_constant(keyword(call, "average"), "samples", "micro")


def gives_score(module: Module, call: ast.Call, place: int | None = None, depth: int = 2) -> bool:
    """Whether it computes a score, or calls a function of the project that returns one."""
    if scores(module, call, place):
        return True
    return depth > 0 and any(
        is_score(
            other, function, part_of(value, place) if place is not None else (value, None), depth
        )
        for other, function in called(module, call)
        for value in returned_by(function)
    )


def is_score(module: Module, function: ast.AST, given: Given, depth: int) -> bool:
    """Whether a function's value is such a score, also times a factor or as a plain number."""
    value, place = given
    while place is None and isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        value = value.right if isinstance(value.left, ast.Constant) else value.left
    if isinstance(value, ast.Call):
        return gives_score(module, value, place, depth - 1)
    if not isinstance(value, ast.Name) or place is not None:
        return False
    made = [one for one in given_within(function, value.id) if not isinstance(one[0], ast.Constant)]
    return bool(made) and all(
        isinstance(call, ast.Call) and gives_score(module, call, which, depth - 1)
        for call, which in made
    )


def returned_by(function: ast.AST) -> Iterator[ast.expr]:
    """What a function returns."""
    for node in own_nodes(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value


def gives_share(module: Module, call: ast.Call, place: int | None = None) -> bool:
    """Whether it calls a function that divides a sum over its batch by another: an IoU, a Dice."""
    if not isinstance(call.func, ast.Name) or place is not None:
        return False
    found = [
        (other, value)
        for other, function in module.project.resolve(module, call)
        for value in returned_by(function)
    ]
    return bool(found) and all(
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div)
        and adds_all(other, value.left)
        and adds_all(other, value.right)
        for other, value in found
    )


def adds_all(module: Module, value: ast.expr) -> bool:
    """Whether a part of a value, or of what a name in it was given, is a sum over all axes."""
    parts = [one for node in walk(value) for one in [node, *given(module, node)]]
    sums = [one for part in parts for one in walk(part) if isinstance(one, ast.Call)]
    return any(
        last_name(one.func) == "sum"
        and isinstance(one.func, ast.Attribute)
        and len(one.args) == (1 if module.qualified(one.func) == "torch.sum" else 0)
        and not one.keywords
        for one in sums
    )


def given(module: Module, node: ast.AST) -> list[ast.expr]:
    """What a name was given in its function."""
    return module.value_in(node, module.function(node)) if isinstance(node, ast.Name) else []
