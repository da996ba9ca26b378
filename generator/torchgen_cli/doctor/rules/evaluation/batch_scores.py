"""Scores of batches, averaged, where the score of all samples is meant."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    argument,
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
from .both import evaluating_loops
from .evaluating import WRAPPERS, evaluation_loops
from .means import averaged
from .measures import divisions, sizes
from .score_calls import given, gives_score, gives_share, is_made_by

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
