"""Random changes to training texts: a byte is left out now and then."""

import numpy as np
import torch

from .base.facts import Facts
from .base.seeds import Stream, mix, uniform
from .config import Config


class Augmentation:
    """Leaves out bytes, fixed by the seed, the epoch and the text's number."""

    def __init__(self, config: Config, facts: Facts) -> None:
        self.seed = config.seed

    def draw(self, indices: np.ndarray, epoch: int, shape: tuple[int, ...]) -> np.ndarray:
        """Which bytes stay, (B, L) int64 of 0 and 1."""
        draws = uniform(mix(self.seed, Stream.AUGMENT, epoch), indices, shape[0])
        return (draws > 0.1).astype(np.int64)

    def apply(
        self, texts: np.ndarray, labels: np.ndarray, stay: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Leave the others out of texts (B, L)."""
        return texts * stay, labels

    def apply_on_device(
        self, texts: torch.Tensor, labels: torch.Tensor, stay: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What `apply` makes of texts, on an accelerator."""
        return texts * stay, labels

    def mix_batch(
        self, texts: torch.Tensor, targets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Nothing is mixed."""
        return texts, targets
