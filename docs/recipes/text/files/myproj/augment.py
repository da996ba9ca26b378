"""Random changes to training texts: what each text gets follows from its number alone."""

import numpy as np
import torch

from .base.errors import FlagError
from .base.facts import Facts
from .base.seeds import Stream, mix, uniform
from .config import Config

HIDDEN = 255  # in place of a byte that is hidden: no UTF-8 has it


class Augmentation:
    """Hides bytes at random, fixed by the seed, the epoch and the text's number."""

    def __init__(self, config: Config, facts: Facts) -> None:
        if config.mixup or config.cutmix or config.erasing or config.color:
            raise FlagError("--mixup, --cutmix, --erasing and --color are for images alone")
        if config.shards:
            raise FlagError("--shards reads images alone, not texts")
        self.seed, self.share = config.seed, config.hide

    def draw(self, indices: np.ndarray, epoch: int, shape: tuple[int, ...]) -> np.ndarray:
        """Which bytes are hidden, as 1: (B, L) int64, or (B, 1) where none is.

        `indices` (B,) number the texts, repeats past the last of them; `shape` is (L,).
        """
        if not self.share:
            return np.zeros((len(indices), 1), np.int64)
        draws = uniform(mix(self.seed, Stream.AUGMENT, epoch), indices, shape[0])
        return (draws < self.share).astype(np.int64)

    def apply(
        self, texts: np.ndarray, targets: np.ndarray, hidden: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Hide bytes of texts (B, L) uint8 in place; padding stays padding."""
        texts[(hidden > 0) & (texts > 0)] = HIDDEN
        return texts, targets

    def apply_on_device(
        self, texts: torch.Tensor, targets: torch.Tensor, hidden: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What `apply` makes of texts (B, L), on an accelerator."""
        return texts.masked_fill((hidden > 0) & (texts > 0), HIDDEN), targets

    def mix_batch(
        self, texts: torch.Tensor, targets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Change a training batch as a whole, on its device: texts are left as they are.

        Draw from torch's generator, seeded for each step. The task gets the targets it returns.
        """
        return texts, targets
