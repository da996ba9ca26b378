"""Epochs that go through files a few at a time, so that a disk reads little back and forth."""

import numpy as np

from ..base.seeds import mix, permutation


class Windows:
    """An order of samples that are numbered file by file: each once, shuffled among a few files."""

    def __init__(self, files: np.ndarray, window: int) -> None:
        """Take the number of each sample's file, (N,) int64, and how many files make a window."""
        self.files, self.window, self.samples = files, window, len(files)

    def draws(self, key: int, places: int) -> np.ndarray:
        """The samples of an epoch, (places,) int64: windows of files in a random order."""
        order = permutation(mix(key, 0), int(self.files.max()) + 1)
        window = np.argsort(order)[self.files] // self.window  # of each sample
        shuffled = permutation(key, self.samples)
        return shuffled[np.argsort(window[shuffled], kind="stable")][:places]
