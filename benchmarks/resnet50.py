"""A model.py for a generated project: what most people compare by, a ResNet-50.

He et al., Deep Residual Learning, 2015, with the stride on the 3x3 convolution.
"""

from typing import Any

import torch
from torch import nn

STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # channels inside a block, blocks


def unit(inputs: int, outputs: int, kernel: int, stride: int = 1) -> list[nn.Module]:
    """A convolution and its norm."""
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
    return [convolution, nn.BatchNorm2d(outputs)]


class Block(nn.Module):
    """A bottleneck of three convolutions, and a shortcut."""

    def __init__(self, inputs: int, inner: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * inner
        layers = [*unit(inputs, inner, 1), nn.ReLU(), *unit(inner, inner, 3, stride), nn.ReLU()]
        self.body = nn.Sequential(*layers, *unit(inner, outputs, 1))
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else nn.Sequential(*unit(inputs, outputs, 1, stride))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.shortcut(x))


class Normalize(nn.Module):
    """Images (B, H, W, C) uint8 to (B, C, H, W) float32."""

    def __init__(self, facts: Any) -> None:
        super().__init__()
        for name in ("mean", "std"):
            values = torch.tensor(getattr(facts, name)).view(-1, 1, 1)
            self.register_buffer(name, values, persistent=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        pixels = images.permute(0, 3, 1, 2).float()
        return (pixels - self.get_buffer("mean")) / self.get_buffer("std")


def build_model(config: Any, facts: Any) -> nn.Module:
    """Images (B, H, W, C) uint8 to class scores (B, classes); the sizes are those of the paper."""
    layers: list[nn.Module] = [Normalize(facts), *unit(facts.shape[2], 64, 7, 2)]
    layers += [nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for inner, count in STAGES:
        for number in range(count):
            stride = 2 if number == 0 and inner > 64 else 1
            layers.append(Block(channels, inner, stride))
            channels = 4 * inner
    pool = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(config.dropout)]
    return nn.Sequential(*layers, *pool, nn.Linear(channels, len(facts.classes)))


def initialize(model: nn.Module, config: Any) -> None:
    """As PyTorch does by itself."""
