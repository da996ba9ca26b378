"""The settings of what goes beyond the default run. Each is off unless its flag is given."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..base.settings import Settings
from ..base.values import require


@dataclass(frozen=True)
class Optimization(Settings):
    """How the weights move: the optimizer, the learning rate, the gradient."""

    optimizer: Literal["adamw", "sgd"] = "adamw"
    """AdamW, with decoupled weight decay; or SGD with Nesterov momentum, whose decay is L2."""
    momentum: float = 0.9
    """Momentum of SGD, at least 0 and below 1."""
    bias_lr: float = 1.0
    """Factor on the learning rate of biases, norms and other vectors."""
    lr_batch: int | None = None
    """Batch size that --lr is meant for: the rate grows in proportion to --batch-size."""
    schedule: Literal["cosine", "onecycle", "multistep", "plateau", "constant"] = "cosine"
    """How the learning rate goes on after the warm-up."""
    milestones: tuple[float, ...] = (0.5, 0.75)
    """Shares of the run after which `multistep` lowers the rate."""
    lr_factor: float = 0.1
    """What `multistep` and `plateau` multiply the rate by."""
    plateau_epochs: int = 3
    """Epochs in a row without a better one after which `plateau` lowers the rate."""
    clip_value: float = 0.0
    """Largest absolute value of each number of the gradient. 0 turns it off."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.momentum < 1, "momentum", "at least 0 and below 1", self.momentum)
        require(0 < self.bias_lr < math.inf, "bias_lr", "above 0", self.bias_lr)
        require(0 <= self.clip_value < math.inf, "clip_value", "0 or more", self.clip_value)
        require(0 < self.lr_factor < 1, "lr_factor", "above 0 and below 1", self.lr_factor)
        require(self.plateau_epochs >= 1, "plateau_epochs", "at least 1", self.plateau_epochs)
        inside = all(0 < share < 1 for share in self.milestones)
        require(inside, "milestones", "above 0 and below 1", self.milestones)
        batch = self.lr_batch
        require(batch is None or batch >= 1, "lr_batch", "at least 1", batch)


@dataclass(frozen=True)
class Averaging(Settings):
    """Averages of the weights beside --ema-decay."""

    swa_from: int | None = None
    """Epoch, from 1, whose end begins an equal average of the weights (SWA), then evaluated."""
    swa_lr: float | None = None
    """Learning rate from that epoch on, for the first group; by default the schedule goes on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        first, rate = self.swa_from, self.swa_lr
        require(first is None or first >= 1, "swa_from", "at least 1", first)
        require(rate is None or 0 < rate < math.inf, "swa_lr", "above 0", rate)
        if rate is not None and first is None:
            raise ValueError("--swa-lr needs --swa-from, the epoch from which it holds")


@dataclass(frozen=True)
class Start(Settings):
    """Which weights a run starts from, and which of them it trains."""

    init: Literal["model", "kaiming", "xavier", "orthogonal", "lsuv"] = "model"
    """How weights are drawn: as model.py says, or by name; the spread of activations is said."""
    init_from: Path | None = None
    """File of weights: a run's folder or checkpoint, a state_dict (.pt), or .safetensors."""
    freeze: tuple[str, ...] = ()
    """Modules and parameters to leave as they are, by name or pattern: stem 'stages.0.*'."""
    unfreeze_at: int | None = None
    """Epoch, from 1, from which on they are trained, too."""
    head_lr: float = 1.0
    """Factor on the learning rate of the model's last layer."""
    layer_decay: float = 1.0
    """Factor on the learning rate from each layer to the one before it, above 0 and up to 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 < self.head_lr < math.inf, "head_lr", "above 0", self.head_lr)
        require(0 < self.layer_decay <= 1, "layer_decay", "above 0 and up to 1", self.layer_decay)
        epoch = self.unfreeze_at
        require(epoch is None or epoch >= 1, "unfreeze_at", "at least 1", epoch)
        if epoch is not None and not self.freeze:
            raise ValueError("--unfreeze-at needs --freeze, the names of what is frozen until then")


@dataclass(frozen=True)
class Regularization(Settings):
    """What makes training harder, so that the model generalizes."""

    mixup: float = 0.0
    """Mix training images in pairs; the parameter of its Beta distribution, often 0.2. 0: off."""
    cutmix: float = 0.0
    """Paste a box of another image into each; the parameter as above, often 1. 0: off."""
    erasing: float = 0.0
    """Probability that a box of a training image is filled with noise."""
    color: float = 0.0
    """Largest random change of brightness, contrast and saturation, as a share: 0.4. 0: off."""
    drop_path: float = 0.0
    """Probability that the last residual block is skipped; earlier ones less (stochastic depth)."""
    l1: float = 0.0
    """Pull of matrices and kernels towards zero, their sign times this in the gradient. 0: off."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("mixup", "cutmix", "color", "l1"):
            value = getattr(self, name)
            require(0 <= value < math.inf, name, "0 or more", value)
        require(0 <= self.erasing <= 1, "erasing", "0 to 1", self.erasing)
        require(0 <= self.drop_path < 1, "drop_path", "at least 0 and below 1", self.drop_path)


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


@dataclass(frozen=True)
class Data(Settings):
    """Where the data is read from, and what happens to samples that are bad."""

    stage: Path | None = None
    """Folder on a disk of this machine, to copy the data to and read it there."""
    skip_bad: bool = False
    """Leave samples out of their batches that cannot be read, and report them."""
    join: tuple[str, ...] = ()
    """Further prepared folders to train on, each with its share of an epoch: other=0.2."""
    shards: bool = False
    """Read tar files as WebDataset writes them, train-*.tar and val-*.tar in --data-dir."""
    shard_window: int | None = None
    """Files to shuffle samples among, so that a disk reads less back and forth: 4."""

    def __post_init__(self) -> None:
        super().__post_init__()
        shares = dict(map(read_share, self.join))
        if len(shares) < len(self.join):
            raise ValueError(f"--join names a folder twice: {' '.join(self.join)}")
        if not sum(shares.values()) < 1:
            raise ValueError(
                f"--join {' '.join(self.join)} leaves nothing of an epoch to --data-dir: the "
                "shares must add up to less than 1"
            )
        window = self.shard_window
        require(window is None or window >= 1, "shard_window", "at least 1", window)
        if window is not None and not self.shards:
            raise ValueError("--shard-window needs --shards, the tar files to choose from")


@dataclass(frozen=True)
class Memory(Settings):
    """What saves memory in training, and changes no number."""

    recompute: bool = False
    """Compute activations again in the backward pass: less memory, about a third more time."""
    inplace: bool = False
    """Let activation functions overwrite their inputs."""


@dataclass(frozen=True)
class Precision(Settings):
    """Numbers of fewer bits."""

    fp8: bool = False
    """Multiply the matrices of linear layers in 8 bits, on GPUs that can."""


def read_share(word: str) -> tuple[Path, float]:
    """Read DIR=SHARE; raises ValueError."""
    folder, _, share = word.rpartition("=")
    try:
        number = float(share)
    except ValueError:
        number = math.nan
    if not folder or not 0 < number < 1:
        raise ValueError(f"--join {word}: write DIR=SHARE, the share above 0 and below 1")
    return Path(folder), number


class Toolbox(Start, Optimization, Averaging, Regularization, Targets, Data, Memory, Precision):
    """All of these groups."""
