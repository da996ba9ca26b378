"""The model: a compact residual network. This is the file to replace first.

Whatever stands here, `build_model` gives a module that maps images (B, H, W, C) uint8, as they are
stored, to what `task.py` takes: outputs (B, classes), as they come from the last layer.
"""

import torch
from torch import nn

from .base.facts import Facts
from .config import Config


class Normalize(nn.Module):
    """Images (B, H, W, C) uint8 to (B, C, H, W) float32 of zero mean and unit variance."""

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, mean: list[float], std: list[float]) -> None:
        """Take the mean and the standard deviation of each channel, in units of 0 to 255."""
        super().__init__()
        # known from the data, so a checkpoint has them once, among its facts
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1), persistent=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return (images.permute(0, 3, 1, 2).float() - self.mean) / self.std


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut (He et al., Deep Residual Learning, 2015)."""

    def __init__(self, inputs: int, outputs: int, stride: int, drop: float = 0.0) -> None:
        super().__init__()
        self.drop = drop  # probability that its convolutions are skipped in training
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
        if self.drop and self.training:  # by sample (Huang et al., Stochastic Depth, 2016)
            kept = torch.rand(len(y), 1, 1, 1, device=y.device) >= self.drop
            y = y * kept / (1 - self.drop)
        return torch.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    """A stem, three stages of blocks, the mean over the pixels, a linear classifier."""

    def __init__(
        self, normalize: nn.Module, shape: tuple[int, ...], classes: int, config: Config
    ) -> None:
        super().__init__()
        self.normalize = normalize
        height, image_width, channels = shape
        width = config.width
        # large images are halved until the first stage sees at most 63 pixels on a side
        strides = [1]
        while max(height, image_width) // 2 ** (len(strides) - 1) >= 64:
            strides.append(2)
        stem: list[nn.Module] = []
        for stride in strides if len(strides) == 1 else strides[1:]:
            stem += [
                nn.Conv2d(channels, width, 3, stride, padding=1, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(),
            ]
            channels = width
        self.stem = nn.Sequential(*stem)
        stages: list[nn.Module] = []
        for stage, outputs in enumerate((width, 2 * width, 4 * width)):
            for block in range(config.blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                drop = config.drop_path * (len(stages) + 1) / (3 * config.blocks)
                stages.append(Block(channels, outputs, stride, drop))
                channels = outputs
        self.stages = nn.Sequential(*stages)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(channels, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.stem(self.normalize(images))  # (B, width, H', W'), H' and W' below 64
        x = self.stages(x)  # (B, 4 * width, H' / 4, W' / 4)
        x = x.mean(dim=(2, 3))  # (B, 4 * width)
        return self.head(self.dropout(x))  # (B, classes)


def build_model(config: Config, facts: Facts) -> nn.Module:
    """Build the model for data of these facts: `classes`, `shape` (H, W, C), `mean`, `std`."""
    normalize = Normalize(facts.mean, facts.std)
    return ResNet(normalize, facts.shape, len(facts.classes), config)


def initialize(model: nn.Module, config: Config) -> None:
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
