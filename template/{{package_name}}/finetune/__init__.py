"""Fine-tuning: frozen parts, and a learning rate per layer. Start from weights by --init-from."""

import math
from dataclasses import dataclass

from ..base.cli import Settings, require
from ..base.errors import FlagError


@dataclass(frozen=True)
class FinetuneConfig(Settings):
    """Which parts of the model are trained, and how fast."""

    freeze: tuple[str, ...] = ()
    """Modules and parameters to keep as they are, by name or pattern: stem 'stages.0.*'."""
    unfreeze_at: int | None = None
    """Epoch, from 1, from which on they are trained as well."""
    head_lr: float = 1.0
    """Factor on the learning rate of the model's last layer."""
    layer_decay: float = 1.0
    """Factor on the learning rate from each layer to the one before it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "head_lr", 0 < self.head_lr < math.inf, "above 0")
        require(self, "layer_decay", 0 < self.layer_decay <= 1, "above 0 and at most 1")
        epoch = self.unfreeze_at
        require(self, "unfreeze_at", epoch is None or epoch >= 1, "at least 1")
        if epoch is not None and not self.freeze:
            raise FlagError("--unfreeze-at needs --freeze, the names of what is frozen until then")
