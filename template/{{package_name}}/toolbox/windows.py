"""Epochs that go through files a few at a time, so that a disk reads little back and forth."""

import numpy as np

from ..base.seeds import Shuffled, mix, permutation


class Windows:
    """An order of samples that are numbered file by file: each once, shuffled among a few files."""

    def __init__(self, counts: np.ndarray, window: int) -> None:
        """Take how many samples each file has, (F,) int64, and how many files make a window."""
        self.counts, self.window, self.samples = counts, window, int(counts.sum())

    def draws(self, key: int, _: int, /) -> "Windowed":
        """The samples of an epoch: windows of files in a random order."""
        return Windowed(key, self.counts, self.window)


class Windowed:
    """The order of one epoch. It takes memory for the files, not for the samples."""

    def __init__(self, key: int, counts: np.ndarray, window: int) -> None:
        """Take how many samples each of the F files has, (F,) int64."""
        files = permutation(mix(key, 0), len(counts))  # in the order in which they come
        firsts = (np.cumsum(counts) - counts)[files]  # each file's first sample
        self.key, self.ends = key, np.cumsum(counts[files])
        self.shifts = firsts - (self.ends - counts[files])  # from a place to the sample there
        self.windows = np.append(0, self.ends[window - 1 :: window])  # where each begins
        if self.windows[-1] < self.ends[-1]:
            self.windows = np.append(self.windows, self.ends[-1])

    def __getitem__(self, places: np.ndarray) -> np.ndarray:
        """The samples at these places, (N,) int64 both."""
        found = np.empty_like(places)
        window = np.searchsorted(self.windows, places, side="right")
        for number in np.unique(window).tolist():  # a batch has few
            own = window == number
            first, end = self.windows[number - 1 : number + 1].tolist()
            drawn = first + Shuffled(mix(self.key, number), end - first)[places[own] - first]
            found[own] = drawn + self.shifts[np.searchsorted(self.ends, drawn, side="right")]
        return found
