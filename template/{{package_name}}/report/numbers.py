"""What can be counted of a classifier's answers, as plain values for JSON."""

from typing import Any

import numpy as np

from ..base.values import Plain
from .judge import Judged

BINS = 10  # of the confidence, for the calibration
SHOWN = 16  # mistakes that are listed, and right answers


def confusion(judged: Judged, classes: int) -> np.ndarray:
    """Counts (classes, classes): a row for each true class, a column for each predicted one."""
    pairs = judged.targets.astype(np.int64) * classes + judged.predicted
    return np.bincount(pairs, minlength=classes**2).reshape(classes, classes)


def ratio(part: float, whole: float) -> float | None:
    """`part / whole`; None where there is nothing to divide by."""
    return float(part / whole) if whole else None


def per_class(matrix: np.ndarray, names: list[str]) -> list[Plain]:
    """Precision, recall and F1 of each class; None where a class was never met, or never named."""
    right, true, named = matrix.diagonal(), matrix.sum(1), matrix.sum(0)
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


def confused(matrix: np.ndarray, names: list[str], most: int = 10) -> list[Plain]:
    """The pairs of classes that were mistaken most often, the most frequent first."""
    wrong = matrix - np.diag(matrix.diagonal())
    order = np.argsort(-wrong, axis=None, kind="stable")[:most]
    places = [np.unravel_index(place, wrong.shape) for place in order]
    return [
        {"class": names[true], "predicted": names[said], "samples": int(wrong[true, said])}
        for true, said in places
        if wrong[true, said]
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
    rows = per_class(matrix, names)
    return {
        "samples": len(judged.samples),
        "accuracy": ratio(matrix.trace(), matrix.sum()),
        "mean_over_classes": means(rows),
        "per_class": rows,
        "confusion": matrix.tolist(),
        "most_confused": confused(matrix, names),
        "calibration": calibration(judged),
        "mistakes": int(matrix.sum() - matrix.trace()),
        "worst": pick(judged, names, right=False),
        "right": pick(judged, names, right=True),
    }
