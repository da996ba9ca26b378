"""The model: a compact residual network. This is the file to replace first.

Whatever stands here, `build_model` gives a module that maps images (B, H, W, C) uint8, as they are
stored, to what `task.py` takes: outputs (B, classes), as they come from the last layer.
"""

from dataclasses import dataclass

import torch
from torch import nn

from .base.cli import Settings, require
from .data.info import DatasetInfo


@dataclass(frozen=True)
class ModelConfig(Settings):
    """The settings of this model. They are flags of `train`, and checkpoints keep them."""

    width: int = 32
    """Channels of the model's first stage; each later stage doubles them."""
    blocks: int = 1
    """Residual blocks per stage of the model."""
    dropout: float = 0.0
    """Dropout probability before the classifier."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "width", self.width >= 1, "at least 1")
        require(self, "blocks", self.blocks >= 1, "at least 1")
        require(self, "dropout", 0 <= self.dropout < 1, "at least 0 and below 1")


class Normalize(nn.Module):
    """Images (B, H, W, C) uint8 to (B, C, H, W) float32 of zero mean and unit variance."""

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, mean: list[float], std: list[float]) -> None:
        """Take the mean and the standard deviation of each channel, in units of 0 to 255."""
        super().__init__()
        # a checkpoint has them once, in its dataset info
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1), persistent=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return (images.permute(0, 3, 1, 2).float() - self.mean) / self.std


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut (He et al., Deep Residual Learning, 2015)."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        # no bias before a norm: the norm would subtract it again
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.norm1(self.conv1(x)))  # (B, outputs, H / stride, W / stride)
        y = self.norm2(self.conv2(y))
        return torch.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    """A stem, three stages of blocks, the mean over the pixels, a linear classifier."""

    def __init__(
        self, normalize: nn.Module, shape: tuple[int, ...], classes: int, config: ModelConfig
    ) -> None:
        super().__init__()
        self.normalize = normalize
        *size, channels = shape
        width, halvings = config.width, 0
        while max(size) >> halvings >= 64:  # the first stage sees at most 63 pixels on a side
            halvings += 1
        stem: list[nn.Module] = []
        for stride in [2] * halvings or [1]:
            conv = nn.Conv2d(channels, width, 3, stride, padding=1, bias=False)
            stem += [conv, nn.BatchNorm2d(width), nn.ReLU()]
            channels = width
        self.stem = nn.Sequential(*stem)
        stages: list[nn.Module] = []
        for stage, outputs in enumerate((width, 2 * width, 4 * width)):
            for block in range(config.blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                stages.append(Block(channels, outputs, stride))
                channels = outputs
        self.stages = nn.Sequential(*stages)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(channels, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.stem(self.normalize(images))  # (B, width, H', W'), H' and W' below 64
        x = self.stages(x)  # (B, 4 * width, H' / 4, W' / 4)
        x = x.mean(dim=(2, 3))  # (B, 4 * width)
        return self.head(self.dropout(x))  # (B, classes)


def build_model(config: ModelConfig, info: DatasetInfo) -> nn.Module:
    """Build the model for a dataset of these `classes`, `shape` (H, W, C), `mean` and `std`."""
    normalize = Normalize(info.mean, info.std)
    return ResNet(normalize, info.shape, len(info.classes), config)


def initialize(model: nn.Module, config: ModelConfig) -> None:
    """Give a new run its weights, from torch's seed; a checkpoint's are never touched.

    This keeps the scale of activations from layer to layer, and starts each block as its shortcut.
    Weights from a file are loaded here.
    """
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.01)
            nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, Block):
            nn.init.zeros_(module.norm2.weight)
