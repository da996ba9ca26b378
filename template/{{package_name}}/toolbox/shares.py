"""Epochs to which several sources of samples give a share each."""

from collections.abc import Sequence

import numpy as np

from .balance import drawn


class Shares:
    """What an epoch draws of samples that are numbered source by source."""

    def __init__(self, counts: Sequence[int], shares: Sequence[float]) -> None:
        """Take how many samples each source has, and the shares of all but the first one.

        The first one has the rest, and gives the epoch its length: each of its samples comes once.
        """
        self.sources = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
        self.shares, self.samples = shares, round(counts[0] / (1 - sum(shares)))

    def sizes(self, places: int) -> list[int]:
        """How many of so many draws are of each source."""
        others = [round(share * places) for share in self.shares]
        return [places - sum(others), *others]

    def draws(self, key: int, places: int) -> np.ndarray:
        """The draws of an epoch, (places,) int64."""
        return drawn(key, self.sources, self.sizes(places))
