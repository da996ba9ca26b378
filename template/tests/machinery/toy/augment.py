"""A toy augmentation: adds -1, 0 or 1 to each of the six numbers."""

from typing import Any

import numpy as np

from .base.seeds import Stream, mix, uniform


class Augmentation:
    def __init__(self, config: Any, info: Any) -> None:
        self.seed = config.seed

    def __call__(
        self, inputs: np.ndarray, targets: np.ndarray, indices: np.ndarray, epoch: int
    ) -> tuple[np.ndarray, np.ndarray]:
        draws = uniform(mix(self.seed, Stream.AUGMENT, epoch), indices, inputs.shape[1])
        return inputs + (draws * 3).astype(inputs.dtype) - 1, targets
