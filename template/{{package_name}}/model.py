"""The model: a compact residual network. This is the file to replace first.

Whatever stands here, `build_model` gives a module that maps images (B, C, H, W) to class scores
(B, classes) before any softmax. Everything else in the project goes through that.
"""

import torch
from torch import nn


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
        self, shape: tuple[int, int, int], classes: int, width: int, blocks: int, dropout: float
    ) -> None:
        super().__init__()
        height, image_width, channels = shape
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
            for block in range(blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                stages.append(Block(channels, outputs, stride))
                channels = outputs
        self.stages = nn.Sequential(*stages)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(channels, classes)
        initialize(self)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.stem(images)  # (B, width, H', W'), H' and W' below 64
        x = self.stages(x)  # (B, 4 * width, H' / 4, W' / 4)
        x = x.mean(dim=(2, 3))  # (B, 4 * width)
        return self.head(self.dropout(x))  # (B, classes)


def initialize(model: nn.Module) -> None:
    """Keep the scale of activations from layer to layer, and start each block as its shortcut."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.01)
            nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, Block):
            nn.init.zeros_(module.norm2.weight)


def build_model(
    shape: tuple[int, int, int], classes: int, *, width: int, blocks: int, dropout: float
) -> nn.Module:
    """Build the model for images of `shape` (H, W, C); the weights follow torch's seed."""
    return ResNet(shape, classes, width, blocks, dropout)
