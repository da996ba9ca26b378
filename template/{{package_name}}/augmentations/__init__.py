"""Augmentations beyond shifts and flips. Each is off unless its flag is given."""

import math
from dataclasses import dataclass

from ..base.cli import Settings, require


@dataclass(frozen=True)
class AugmentationsConfig(Settings):
    """How training images are changed at random."""

    mixup: float = 0.0
    """Blend training images in pairs: the parameter of the Beta distribution, often 0.2; 0: off."""
    cutmix: float = 0.0
    """Paste a box of another image into each: the parameter as of --mixup, often 1; 0: off."""
    erasing: float = 0.0
    """Probability that a box of a training image is filled with noise."""
    color: float = 0.0
    """Largest change of brightness, contrast and saturation, as a share, often 0.4; 0: off."""
    resized_crop: float = 1.0
    """Crop at random and resize: the smallest share of the image's area, often 0.35; 1: off."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("mixup", "cutmix", "color"):
            require(self, name, 0 <= getattr(self, name) < math.inf, "at least 0")
        require(self, "erasing", 0 <= self.erasing <= 1, "between 0 and 1")
        require(self, "resized_crop", 0 < self.resized_crop <= 1, "above 0 and at most 1")
