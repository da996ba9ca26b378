"""Scores of batches, averaged, where the score of all samples is meant."""

import ast
import re
from collections.abc import Callable, Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    argument,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.choices import carriers, carries, is_chosen_by, text
from ..shared.even import evaluation_loaders, takes_one
from ..shared.origins import origins
from .averages import divisions, sizes
from .both import evaluating_loops
from .evaluating import WRAPPERS, evaluation_loops
from .means import averaged

# of sklearn: not the mean of something over samples, as the accuracy is
SCORES = {"average_precision_score", "balanced_accuracy_score", "cohen_kappa_score", "f1_score"}
SCORES |= {"explained_variance_score", "fbeta_score", "jaccard_score", "matthews_corrcoef"}
SCORES |= {"precision_recall_fscore_support", "precision_score", "r2_score", "recall_score"}
SCORES |= {"roc_auc_score"}
# what has a score of its own
WHOLE = re.compile(
    r"(^|_)(case|fold|graph|group|patient|pid|quer(y|ies)|sequence|session|slice|subject|task|uid"
    r"|user|video|volume)s?(_|$)",
    re.I,
)


@rule(
    "TG508",
    "the score is a mean of batch scores",
    why="""Precision, recall, F1, the area under the curve and R2 are not means over samples: their
    mean over batches is a different number, which changes with the batch size and with how samples
    are assigned to batches. The same holds for the IoU or Dice of all pixels of a batch, where the
    best model is chosen by it. For a batch with one class the area may be undefined. It is a hint
    where nothing returns the mean or chooses by it. Shown once per repository.""",
    remedy="""collect the labels and outputs of all batches, and compute the score once after
    the loop""",
    source="https://lightning.ai/docs/torchmetrics/stable/pages/overview.html",
    bad="""
import numpy as np
import torch
from sklearn.metrics import roc_auc_score


@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    aucs = []
    for images, labels in val_loader:
        scores = model(images).sigmoid().cpu().numpy()
        aucs.append(roc_auc_score(labels, scores))  # <--
    return np.mean(aucs)
""",
    good="""
import numpy as np
import torch
from sklearn.metrics import roc_auc_score


@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    found, expected = [], []
    for images, labels in val_loader:
        found.append(model(images).sigmoid().cpu().numpy())
        expected.append(labels.numpy())
    return roc_auc_score(np.concatenate(expected), np.concatenate(found))
""",
    severity=Severity.WARNING,
    once=True,
)
def mean_of_scores(module: Module) -> Iterator[ast.AST | Spot]:
    evaluating = [(loop, scope) for loop, _, scope in evaluation_loops(module)]
    for loop, scope in [*evaluating, *evaluating_loops(module)]:
        if is_over_wholes(module, loop):
            continue
        means = averaged(module, scope) | {what for what, _ in divisions(scope)} - {""}
        for node, kept, value in added(loop):
            if next(module.loops_around(node)) is not loop:
                continue
            if (kept is None or written(kept) in means) and is_made_by(
                module, loop, value, gives_score
            ):
                name = text(
                    kept or (receiver(node) if isinstance(node, ast.Call) else node) or node
                )
                yield Spot(node, unsure=not is_result(module, scope, name))
            elif isinstance(node, ast.Call) and kept is None and is_weighed(module, node):
                name = text(receiver(node) or node)
                if is_made_by(module, loop, value, gives_share) and is_chosen_by(
                    module, scope, name
                ):
                    yield node


def is_result(module: Module, scope: ast.AST, name: str) -> bool:
    """Whether a function returns what is computed from a figure, or something is chosen by it."""
    carried = carriers(scope, name)
    given = any(
        isinstance(node, ast.Return) and node.value is not None and carries(node.value, carried)
        for node in own_nodes(scope)
    )
    return given or is_chosen_by(module, scope, name)


def added(loop: ast.AST) -> Iterator[tuple[ast.AST, ast.expr | None, ast.expr]]:
    """(place, what is added to, what is added); a meter takes the mean itself, which is None."""
    for node in own_nodes(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            yield node, node.target, node.value
    for call in own_calls(loop, "append", "update"):
        owner = receiver(call)
        if owner is not None and call.args:
            yield call, owner if last_name(call.func) == "append" else None, call.args[0]


def is_weighed(module: Module, call: ast.Call) -> bool:
    """Whether a meter is given a value with the size of the batch: without, it is a mean of means.

    The count of what the value is a share of would be right.
    """
    if len(call.args) != 2:
        return False
    counts = given(module, call.args[1]) or [call.args[1]]
    return all(map(sizes, counts))


def is_made_by(
    module: Module, loop: ast.AST, value: ast.expr, holds: Callable[[Module, ast.Call], bool]
) -> bool:
    """Whether a part of a value is such a call, or a name that a loop gives nothing but such."""
    for one in walk(value):
        made = module.value_in(one, loop) if isinstance(one, ast.Name) else [one]
        if made and all(isinstance(call, ast.Call) and holds(module, call) for call in made):
            return True
    return False


def scores(module: Module, call: ast.Call) -> bool:
    """Whether it computes one of these scores; the mean over samples is none."""
    whole = module.qualified(call.func)
    if not whole.startswith("sklearn.") or last_name(call.func) not in SCORES:
        return False
    return not is_constant(keyword(call, "average"), "samples", "micro")


def gives_score(module: Module, call: ast.Call) -> bool:
    """Whether it computes a score, or calls a function of the project that returns one."""
    return scores(module, call) or any(
        isinstance(value, ast.Call) and scores(other, value)
        for other, value in results(module, call)
    )


def gives_share(module: Module, call: ast.Call) -> bool:
    """Whether it calls a function that divides a sum over its batch by another: an IoU, a Dice."""
    found = results(module, call)
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


def results(module: Module, call: ast.Call) -> list[tuple[Module, ast.expr]]:
    """What the functions return that a plain call may mean."""
    if not isinstance(call.func, ast.Name):
        return []
    return [
        (other, node.value)
        for other, function in module.project.resolve(module, call)
        for node in own_nodes(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def is_over_wholes(module: Module, loop: ast.For) -> bool:
    """Whether a loop takes one patient, user, fold, ... at a time, or may take all at once."""
    names = [written(one) for part in (loop.target, loop.iter) for one in walk(part)]
    if any(WHOLE.search(name) for name in names):
        return True
    source = loop.iter
    while isinstance(source, ast.Call) and source.args and last_name(source.func) in WRAPPERS:
        source = source.args[0]
    made = [
        one
        for where, one in origins(module, source)
        if isinstance(one, ast.Call) and where.is_torch(one.func, "DataLoader")
    ]
    near = module.project.near(module)
    made = made or [call for other in near for call in evaluation_loaders(other)]
    return any(takes_one(call) or takes_all(call) for call in made)


def takes_all(loader: ast.Call) -> bool:
    """Whether a loader makes one batch of a whole set: `batch_size=len(dataset)`."""
    size = argument(loader, 1, "batch_size")
    return isinstance(size, ast.Call) and last_name(size.func) == "len"
