"""Every setting of a run. Each field is a flag of `train`, with this help.

Those of this file are the experiment's. `base/settings.py` has those of a run and its machine,
`toolbox/settings.py` what is off unless asked for.
"""

import math
from dataclasses import dataclass

from .base.settings import OF_A_START, Ends, Machine, Run
from .base.values import require
from .toolbox.settings import Toolbox


@dataclass(frozen=True)
class Config(Run, Ends, Toolbox, Machine):
    """Train the model."""

    epochs: int = 20
    """Passes over the training data."""
    batch_size: int = 64
    """Samples per optimizer step, however they are split."""
    accumulate: int = 1
    """Forward and backward passes that share one optimizer step; more of them need less memory."""
    lr: float = 2e-3
    """Peak learning rate, reached after the warm-up; then --schedule lowers it."""
    warmup_epochs: float = 1.0
    """Epochs over which the learning rate rises from zero."""
    weight_decay: float = 0.05
    """Weight decay; biases, norms and other vectors are left out."""
    clip_norm: float = 1.0
    """Largest norm of the whole gradient; a longer one is scaled down. 0 turns it off."""
    label_smoothing: float = 0.0
    """Share of the target spread evenly over all classes, 0 to 1."""
    ema_decay: float = 0.0
    """Decay per step of an average of the weights, the one to evaluate and keep. 0 turns it off."""
    width: int = 32
    """Channels of the model's first stage; the later ones have twice and four times as many."""
    blocks: int = 1
    """Residual blocks per stage of the model."""
    dropout: float = 0.0
    """Share of the features dropped before the classifier, 0 to 1."""
    image_size: int | None = None
    """Height and width in pixels; the data's own if not given."""
    max_samples: int | None = None
    """Samples to take of each split, evenly spread, for a quick look; by default all of them."""
    random_crop: bool = True
    """Shift training images at random by up to an eighth of their size."""
    random_flip: bool = False
    """Mirror training images at random. Off, since a mirrored digit is not a digit."""
    seed: int = 0
    """Fixes the initial weights, the order, the augmentation and the dropout. -1: draw one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("epochs", "batch_size", "accumulate", "width", "blocks"):
            require(getattr(self, name) >= 1, name, "at least 1", getattr(self, name))
        for name in ("warmup_epochs", "weight_decay", "clip_norm"):
            value = getattr(self, name)
            require(0 <= value < math.inf, name, "0 or more", value)
        for name in ("label_smoothing", "ema_decay", "dropout"):
            value = getattr(self, name)
            require(0 <= value < 1, name, "at least 0 and below 1", value)
        require(0 < self.lr < math.inf, "lr", "above 0", self.lr)
        require(-1 <= self.seed < 1 << 63, "seed", "-1 or more and below 2**63", self.seed)
        for name in ("image_size", "max_samples"):
            value = getattr(self, name)
            require(value is None or value >= 1, name, "at least 1", value)
        if self.accumulate > self.batch_size:
            raise ValueError(
                f"--accumulate {self.accumulate} splits a --batch-size of {self.batch_size} into "
                "passes without a sample; lower the first or raise the second"
            )

    @property
    def size(self) -> tuple[int, ...] | None:
        """What all inputs are made to fit, height and width; None for their own."""
        return None if self.image_size is None else (self.image_size, self.image_size)

    def total_steps(self, steps_per_epoch: int) -> int:
        """Optimizer steps of the whole run."""
        whole = self.epochs * steps_per_epoch
        return whole if self.max_steps is None else min(whole, self.max_steps)


# settings that may change at a resume; any other change is refused
MAY_CHANGE_ON_RESUME = {"epochs", *OF_A_START}
