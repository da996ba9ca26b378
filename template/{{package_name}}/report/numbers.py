"""What can be counted of a classifier's answers, as plain values for JSON."""

from typing import Any

import numpy as np

from ..base.values import Plain
from .judge import Judged

BINS = 10  # of the confidence, for the calibration
MATRIX = 1000  # classes of the largest confusion matrix
SHOWN = 16  # mistakes that are listed, and right answers


def confusion(judged: Judged, classes: int) -> np.ndarray | None:
    """Counts (classes, classes): a row for each true class, a column for each predicted one.

    None of more classes than anyone could look at.
    """
    if classes > MATRIX:
        return None
    pairs = judged.targets.astype(np.int64) * classes + judged.predicted
    return np.bincount(pairs, minlength=classes**2).reshape(classes, classes)


def ratio(part: float, whole: float) -> float | None:
    """`part / whole`; None where there is nothing to divide by."""
    return float(part / whole) if whole else None


def per_class(judged: Judged, names: list[str]) -> list[Plain]:
    """Precision, recall and F1 of each class; None where a class was never met, or never named."""
    hits = judged.targets[judged.targets == judged.predicted]
    columns = (hits, judged.targets, judged.predicted)
    right, true, named = (np.bincount(column, minlength=len(names)) for column in columns)
    return [
        {
            "number": i,
            "class": name,
            "samples": int(true[i]),
            "precision": ratio(right[i], named[i]),
            "recall": ratio(right[i], true[i]),
            "f1": ratio(2 * right[i], true[i] + named[i]),
        }
        for i, name in enumerate(names)
    ]


def means(rows: list[Plain]) -> Plain:
    """The plain mean of each column over the classes that have it."""
    found: Plain = {}
    for name in ("precision", "recall", "f1"):
        values = [row[name] for row in rows if row[name] is not None]
        found[name] = ratio(sum(values), len(values))
    return found


def confused(judged: Judged, names: list[str], most: int = 10) -> list[Plain]:
    """The pairs of classes that were mistaken most often, the most frequent first."""
    wrong = judged.targets != judged.predicted
    pairs = np.stack([judged.targets[wrong], judged.predicted[wrong]], axis=1)
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return [
        {
            "class": names[found[place, 0]],
            "predicted": names[found[place, 1]],
            "samples": int(counts[place]),
        }
        for place in order
    ]


def calibration(judged: Judged) -> Plain:
    """How often the model is right where it is so sure: by equal bins of its confidence.

    The expected calibration error is the mean distance between the two, weighted by samples
    (Guo et al., On Calibration of Modern Neural Networks, 2017).
    """
    right = judged.predicted == judged.targets
    # a bin holds its upper bound, as in the paper
    bins = np.clip(np.ceil(judged.confidence * BINS).astype(int) - 1, 0, BINS - 1)
    rows: list[dict[str, Any]] = []
    error = 0.0
    for number in range(BINS):
        inside = bins == number
        count = int(inside.sum())
        row = {"from": number / BINS, "to": (number + 1) / BINS, "samples": count}
        sure = ratio(judged.confidence[inside].astype(np.float64).sum(), count)
        accuracy = ratio(right[inside].sum(), count)
        rows.append(row | {"confidence": sure, "accuracy": accuracy})
        if sure is not None and accuracy is not None:
            error += count / len(right) * abs(accuracy - sure)
    return {"expected_calibration_error": error, "bins": rows}


def pick(judged: Judged, names: list[str], *, right: bool) -> list[Plain]:
    """Some samples: the surest of the wrong answers, or right ones evenly spread over the data."""
    found = np.flatnonzero((judged.predicted == judged.targets) == right)
    count = min(SHOWN, len(found))
    if right:
        found = found[np.arange(count) * len(found) // max(count, 1)]
    else:
        found = found[np.argsort(-judged.confidence[found], kind="stable")[:count]]
    return [
        {
            "sample": int(judged.samples[i]),
            "class": names[judged.targets[i]],
            "predicted": names[judged.predicted[i]],
            "probability": float(judged.confidence[i]),
        }
        for i in found
    ]


def measure(judged: Judged, names: list[str]) -> Plain:
    """All of the above, and the share of right answers."""
    matrix = confusion(judged, len(names))
    rows = per_class(judged, names)
    right = int((judged.targets == judged.predicted).sum())
    return {
        "samples": len(judged.samples),
        "accuracy": right / len(judged.samples),
        "mean_over_classes": means(rows),
        "per_class": rows,
        "confusion": None if matrix is None else matrix.tolist(),
        "most_confused": confused(judged, names),
        "calibration": calibration(judged),
        "mistakes": len(judged.samples) - right,
        "worst": pick(judged, names, right=False),
        "right": pick(judged, names, right=True),
    }
