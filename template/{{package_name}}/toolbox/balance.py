"""An order of the training samples in which each class comes equally often."""

import numpy as np

from ..base.errors import FlagError
from ..base.seeds import mix, permutation


def by_class(labels: np.ndarray) -> list[np.ndarray]:
    """The numbers of the samples of each class that there is, ascending; raises FlagError."""
    if not isinstance(labels, np.ndarray) or labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise FlagError("--balance needs targets that are class numbers, one for each sample")
    _, firsts = np.unique(np.sort(labels), return_index=True)
    return np.split(np.argsort(labels, kind="stable"), firsts[1:])


def balanced(key: int, classes: list[np.ndarray], places: int) -> np.ndarray:
    """An epoch's draws in the order that `key` fixes, (places,) int64.

    Each class fills as many places as any other, or one more: by its samples in a random order,
    again and again. So of one class none comes twice before all came once; in a class with more
    samples than places some wait for another epoch. A draw is the number of a sample, plus that of
    all samples for each time it came before.
    """
    samples = sum(len(own) for own in classes)
    least, more = divmod(places, len(classes))
    sizes = least + (permutation(mix(key, 0), len(classes)) < more)
    drawn = []
    for number, (own, size) in enumerate(zip(classes, sizes, strict=True), start=1):
        order = own[permutation(mix(key, number), len(own))]
        again, place = np.divmod(np.arange(size), len(own))
        drawn.append(order[place] + samples * again)
    return np.concatenate(drawn)[permutation(key, places)]
