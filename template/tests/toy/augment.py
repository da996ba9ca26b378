"""A toy augmentation: adds -1, 0 or 1 to each of the six numbers."""

import numpy as np
import torch

from .base.facts import Facts
from .base.seeds import Stream, mix, uniform
from .config import Config


class Augmentation:
    def __init__(self, config: Config, facts: Facts | None = None) -> None:
        self.seed = config.seed

    def draw(self, indices: np.ndarray, epoch: int, shape: tuple[int, ...]) -> np.ndarray:
        draws = uniform(mix(self.seed, Stream.AUGMENT, epoch), indices, shape[0])
        return (draws * 3).astype(np.int64) - 1  # (B, 6)

    def apply(
        self, inputs: np.ndarray, targets: np.ndarray, changes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        inputs += changes.astype(inputs.dtype)
        return inputs, targets

    def apply_on_device(
        self, inputs: torch.Tensor, targets: torch.Tensor, changes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return inputs + changes.to(inputs.dtype), targets

    def mix_batch(
        self, inputs: torch.Tensor, targets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return inputs, targets
