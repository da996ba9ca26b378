"""Training on classes of uneven size. Each remedy is off unless its flag is given."""

import math
from dataclasses import dataclass
from typing import Literal

from ..base.cli import Settings, require


@dataclass(frozen=True)
class ImbalanceConfig(Settings):
    """How small classes get their weight. One remedy is usually enough."""

    loss: Literal["cross-entropy", "focal"] = "cross-entropy"
    """The loss; focal gives less weight to samples that are already classified well."""
    focal_gamma: float = 2.0
    """Exponent of the focal loss; 0 is cross-entropy."""
    class_weights: bool = False
    """Weight the classes in the training loss by the inverse of their size."""
    balance: bool = False
    """Draw equally many training samples of each class; those of small ones come repeatedly."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "focal_gamma", 0 <= self.focal_gamma < math.inf, "at least 0")
