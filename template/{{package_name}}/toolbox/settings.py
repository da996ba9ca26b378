"""The settings of what goes beyond the default run. Each is off unless its flag is given."""

import math
from dataclasses import dataclass
from typing import Literal

from ..base.settings import Settings
from ..base.values import require


@dataclass(frozen=True)
class Targets(Settings):
    """The loss, and classes of uneven size: one of the last two is usually enough."""

    loss: Literal["cross-entropy", "focal", "binary", "mse", "huber"] = "cross-entropy"
    """Binary takes each class on its own; mse and huber compare raw scores with 0 and 1."""
    focal_gamma: float = 2.0
    """How much `focal` turns from easy samples to hard ones; 0 is cross-entropy."""
    class_weights: bool = False
    """Weigh classes in the loss of training, not of validation, by the inverse of their share."""
    balance: bool = False
    """Draw as many training samples of each class; those of small ones come more than once."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.focal_gamma < math.inf, "focal_gamma", "0 or more", self.focal_gamma)
