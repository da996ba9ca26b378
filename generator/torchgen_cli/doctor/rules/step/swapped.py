"""Losses whose arguments stand in the wrong order."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import has_stars, last_name, written

FUNCTIONAL = (
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "nll_loss",
)
CLASSES = ("BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "NLLLoss")
TARGET = re.compile(r"(^|_)(y_true|truths?|gts?|ground_?truths?|targets?|labels?)$", re.I)
PREDICTED = re.compile(
    r"(^|_)(y_pred|preds?|predicted|predictions?|logits?|outs?|outputs?|y_hat|probs?)$", re.I
)
# the beginnings of names such as pred_labels and gt_probs, which are the other thing
NO_TARGET = re.compile(r"pred|logit|out|hat|estimat|fake|recon|gen", re.I)
NO_PREDICTION = re.compile(r"(^|_)(true|gts?|ground|targets?|labels?|real|soft|teacher)(_|$)", re.I)


@rule(
    "TG431",
    "the loss gets the target in place of the prediction",
    why="""The first argument is the prediction, the second the target, and this loss is not
    symmetric: the gradient is that of another function, or there is an error where a target may
    have no gradient.""",
    remedy="pass the prediction first, then the target",
    source=f"{STABLE}/generated/torch.nn.functional.binary_cross_entropy.html",
    bad="""
from torch.nn import functional as F


def step(model, images, targets, optimizer):
    optimizer.zero_grad()
    outputs = model(images).sigmoid()
    F.binary_cross_entropy(targets, outputs).backward()  # <--
    optimizer.step()
""",
    good="""
from torch.nn import functional as F


def step(model, images, targets, optimizer):
    optimizer.zero_grad()
    outputs = model(images).sigmoid()
    F.binary_cross_entropy(outputs, targets).backward()
    optimizer.step()
""",
)
def target_first(module: Module) -> Iterator[ast.AST]:
    for call in (*module.torch_calls(*FUNCTIONAL), *calls_of_criteria(module)):
        if len(call.args) < 2 or has_stars(call):
            continue
        first, second = (last_name(one) for one in call.args[:2])
        mixed = NO_TARGET.search(first) or NO_PREDICTION.search(second)
        if TARGET.search(first) and PREDICTED.search(second) and not mixed:
            yield call


def calls_of_criteria(module: Module) -> Iterator[ast.Call]:
    """The calls of what a file makes as one of these losses, and as nothing else."""
    for made in module.torch_calls(*CLASSES):
        statement = module.parents[made]
        name = written(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
        values = [one.value for one in module.assigned.get(name, ())]
        if name and all(
            isinstance(v, ast.Call) and module.is_torch(v.func, *CLASSES) for v in values
        ):
            for call in module.calls.get(name.rpartition(".")[2], ()):
                if written(call.func) == name and values[0] is made:
                    yield call
