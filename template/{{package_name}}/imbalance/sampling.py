"""An order of the training samples in which each class comes equally often."""

import numpy as np

from ..base.errors import FlagError
from ..base.seeds import mix, permutation


def balanced_order(targets: np.ndarray, key: int) -> np.ndarray:
    """As many samples as there are, (N,) int64, of each class equally many, or one more.

    The key fixes them. Each class is gone through in a random order, again and again: no sample
    comes twice before all of its class came once. Within an epoch, all copies of a sample are
    augmented alike.
    """
    if targets.ndim != 1 or targets.dtype.kind not in "iu":
        raise FlagError("--balance needs targets that are class numbers, one for each sample")
    classes = np.unique(targets)
    least, more = divmod(len(targets), len(classes))
    sizes = least + (permutation(mix(key, 0), len(classes)) < more)
    parts = []
    for number, (target, size) in enumerate(zip(classes, sizes, strict=True), 1):
        own = np.flatnonzero(targets == target)
        order = own[permutation(mix(key, number), len(own))]
        parts.append(np.resize(order, size))  # repeats it
    return np.concatenate(parts)[permutation(key, len(targets))]
