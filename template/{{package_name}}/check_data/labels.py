"""Labels that a trained model doubts."""

import numpy as np
import torch

from ..base.errors import DataError
from ..engine.trained import TrainedModel
from .findings import CHUNK, Finding, Sample, Split, count

SURE = 0.9  # probability of another class from which on a label is suspicious


def suspicious_labels(trained: TrainedModel, splits: list[Split]) -> list[Finding]:
    """The samples that the model puts into another class with a probability of at least SURE.

    The surest come first. Empty if the task is no classification.
    """
    classes = trained.info.classes
    found: list[tuple[float, Sample]] = []
    for split in splits:
        data = split.data
        if not split.has_classes() or data.classes != classes:
            continue
        for start in range(0, len(data), CHUNK):
            indices = np.arange(start, min(start + CHUNK, len(data)))
            try:
                outputs = trained.predict(torch.from_numpy(data.read(indices)))
            except DataError:  # a finding of its own
                continue
            if outputs.shape != (len(indices), len(classes)):
                return []
            sure, predicted = (part.tolist() for part in outputs.max(dim=1))
            for index, p, number in zip(indices.tolist(), sure, predicted, strict=True):
                if number != data.targets[index] and p >= SURE:
                    note = f"{classes[number]}, says the model ({p:.1%})"
                    found.append((p, Sample(split.name, index, note)))
    if not found:
        return []
    found.sort(key=lambda pair: -pair[0])
    text = f"{count(len(found))} perhaps labeled wrong: the model is sure of another class"
    return [Finding("label", False, text, [[sample] for _, sample in found])]
