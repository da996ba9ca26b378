"""Hooks and calls that Lightning, torchmetrics, boosters and environments of these years refuse."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import FUNCTIONS, has_stars, keyword, receiver
from .refused_methods import Refused

MODULES = tuple(
    f"{root}.LightningModule" for root in ("pytorch_lightning", "lightning", "lightning.pytorch")
)
# what Lightning's trainer asks for when it starts, and refuses to go on with
HOOKS = ("test_epoch_end", "training_epoch_end", "validation_epoch_end")
# metrics that ask by their first argument for which task they are
METRICS = (
    *("AUROC", "Accuracy", "AveragePrecision", "CalibrationError", "CohenKappa"),
    *("ConfusionMatrix", "F1Score", "FBetaScore", "HammingDistance", "JaccardIndex"),
    *("MatthewsCorrCoef", "Precision", "PrecisionRecallCurve", "ROC", "Recall", "Specificity"),
    "StatScores",
)
# and those that take it after the predictions and the targets
FUNCTIONAL = (
    *("accuracy", "auroc", "average_precision", "confusion_matrix", "f1_score", "jaccard_index"),
    *("precision", "recall", "specificity"),
)
TASK = 'task="multiclass", num_classes=...'
# estimators whose `fit` lost what `early_stopping_rounds` says: the releases
BOOSTERS = {
    re.compile(r"xgboost\.XGB\w+"): ("xgboost", "2.1", "an argument of the estimator"),
    re.compile(r"lightgbm\.LGBM\w+"): ("lightgbm", "4.0", "callbacks=[early_stopping(...)]"),
}
GYMS = ("gym", "gymnasium")


def refused_by_frameworks(module: Module) -> Iterator[Refused]:
    """Where a framework refuses what the code has, or calls it with."""
    yield from of_lightning(module)
    yield from of_metrics(module)
    yield from of_boosters(module)
    yield from of_environments(module)


def of_lightning(module: Module) -> Iterator[Refused]:
    """Where a module has a hook that the trainer of Lightning 2 refuses to start with."""
    for node in module.classes:
        for item in node.body:
            if isinstance(item, FUNCTIONS) and item.name in HOOKS:
                if not module.project.derives(module, node, *MODULES):
                    break
                name = f"pytorch_lightning.LightningModule.{item.name}"
                stem = item.name.removesuffix("_epoch_end").replace("training", "train")
                yield item, name, "2.0", f"on_{stem}_epoch_end, with outputs saved in the step"


def of_metrics(module: Module) -> Iterator[Refused]:
    """Where a metric is not told for which task it is."""
    for count, names, where in ((0, METRICS, ""), (2, FUNCTIONAL, "functional.")):
        for name in names:
            for call in module.calls.get(name, ()):
                whole = f"torchmetrics.{where}{name}"
                if (
                    module.qualified(call.func) == whole
                    and len(call.args) <= count
                    and keyword(call, "task") is None
                    and not has_stars(call)
                ):
                    yield call, whole, "0.11", TASK


def of_boosters(module: Module) -> Iterator[Refused]:
    """Where an estimator is told when to stop by `fit`."""
    for given in module.keywords:
        call = module.parents[given]
        if given.arg != "early_stopping_rounds" or not isinstance(call, ast.Call):
            continue
        owner = receiver(call)
        if owner is None or getattr(call.func, "attr", "") != "fit":
            continue
        made = [made_by(module, one) for one in module.value_in(owner, module.function(call))]
        for pattern, (library, release, advice) in BOOSTERS.items():
            if made and all(pattern.fullmatch(one) for one in made):
                yield call, f"{library}, fit(early_stopping_rounds=...)", release, advice


def of_environments(module: Module) -> Iterator[Refused]:
    """Where an environment that `gym.make` gives is seeded by a method, or told how to render."""
    calls = [
        ("seed", "Env.seed", "env.reset(seed=...)", call) for call in module.calls.get("seed", ())
    ]
    calls += [
        ("render", "Env.render(mode=...)", "make(..., render_mode=...)", call)
        for call in module.calls.get("render", ())
        if keyword(call, "mode") is not None
    ]
    for name, what, advice, call in calls:
        env = receiver(call)
        if env is None or name in module.project.functions:
            continue
        made = [made_by(module, one) for one in module.value_in(env, module.function(call))]
        library = made[0].partition(".")[0] if made else ""
        if library in GYMS and set(made) == {f"{library}.make"}:
            yield call, f"{library}.{what}", "0.26", advice


def made_by(module: Module, value: ast.expr) -> str:
    """The dotted name of what is called to make a value."""
    return module.qualified(value.func) if isinstance(value, ast.Call) else ""
