"""An order of the training samples in which each class comes equally often."""

from collections.abc import Sequence

import numpy as np

from ..base.errors import FlagError
from ..base.seeds import mix, permutation


def by_class(labels: np.ndarray) -> list[np.ndarray]:
    """The numbers of the samples of each class that there is, ascending; raises FlagError."""
    if not isinstance(labels, np.ndarray) or labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise FlagError("--balance needs targets that are class numbers, one for each sample")
    _, firsts = np.unique(np.sort(labels), return_index=True)
    return np.split(np.argsort(labels, kind="stable"), firsts[1:])


class Balanced:
    """What an epoch draws where each class is to come equally often."""

    def __init__(self, labels: np.ndarray) -> None:
        """Take the class number of each sample; raises FlagError where it is none."""
        self.classes, self.samples = by_class(labels), len(labels)

    def draws(self, key: int, places: int) -> np.ndarray:
        """As many draws of each class as of any other, or one more, (places,) int64."""
        least, more = divmod(places, len(self.classes))
        sizes = least + (permutation(mix(key, 0), len(self.classes)) < more)
        return drawn(key, self.classes, sizes.tolist())


def drawn(key: int, groups: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """So many draws of each group of samples, in the order that `key` fixes, (sum(sizes),) int64.

    Each group fills its places by its samples in a random order, again and again. So of one group
    none comes twice before all came once; where it has more samples than places, some wait for
    another epoch. A draw is the number of a sample, plus that of all samples for each time it came
    before.
    """
    samples = sum(len(own) for own in groups)
    parts = []
    for number, (own, size) in enumerate(zip(groups, sizes, strict=True), start=1):
        order = own[permutation(mix(key, number), len(own))]
        again, place = np.divmod(np.arange(size), len(own))
        parts.append(order[place] + samples * again)
    return np.concatenate(parts)[permutation(key, sum(sizes))]
