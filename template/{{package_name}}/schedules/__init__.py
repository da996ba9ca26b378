"""Learning rate schedules besides the cosine, and stochastic weight averaging (SWA)."""

import math
from dataclasses import dataclass
from typing import Literal

from ..base.cli import Settings, require
from ..base.errors import FlagError


@dataclass(frozen=True)
class SchedulesConfig(Settings):
    """How the learning rate moves, and which weights are averaged."""

    schedule: Literal["cosine", "onecycle", "multistep", "plateau", "constant"] = "cosine"
    """How the learning rate continues after the warmup; onecycle has its own warmup."""
    milestones: tuple[float, ...] = (0.5, 0.75)
    """Shares of the run after which `multistep` lowers the learning rate."""
    lr_factor: float = 0.1
    """What `multistep` and `plateau` multiply the learning rate by."""
    plateau_epochs: int = 3
    """Epochs in a row without improvement after which `plateau` lowers the learning rate."""
    swa_from: int | None = None
    """Epoch, from 1, whose end starts an equal average of the weights, which is then evaluated."""
    swa_lr: float | None = None
    """Learning rate from that epoch on, in place of --lr; by default the schedule continues."""

    def __post_init__(self) -> None:
        super().__post_init__()
        inside = all(0 < share < 1 for share in self.milestones)
        require(self, "milestones", inside, "above 0 and below 1")
        require(self, "lr_factor", 0 < self.lr_factor < 1, "above 0 and below 1")
        require(self, "plateau_epochs", self.plateau_epochs >= 1, "at least 1")
        first, rate = self.swa_from, self.swa_lr
        require(self, "swa_from", first is None or first >= 1, "at least 1")
        require(self, "swa_lr", rate is None or 0 < rate < math.inf, "above 0")
        if rate is not None and first is None:
            raise FlagError("--swa-lr needs --swa-from, the epoch after which it holds")
        if first is not None and getattr(self, "ema_decay", None):
            raise FlagError("--ema-decay and --swa-from both average the weights: choose one")
        if rate is not None and self.schedule == "plateau":
            raise FlagError("--schedule plateau and --swa-lr both set the rate: choose one")
