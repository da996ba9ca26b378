"""The model: patches mixed by two layers; weights may come from a file, the patches stay."""

import torch
from torch import nn

from .base.facts import Facts
from .config import Config


class Mixer(nn.Module):
    """A depthwise and two pointwise convolutions, each part behind a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(1, width)
        self.space = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.wide = nn.Conv2d(width, 2 * width, 1)
        self.narrow = nn.Conv2d(2 * width, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.norm(self.space(x))
        return x + self.narrow(nn.functional.gelu(self.wide(x)))


class Net(nn.Module):
    """Patches of 4 x 4 pixels, two layers, the mean over the patches, a linear classifier."""

    def __init__(self, channels: int, classes: int, width: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(channels, width, 4, 4)
        self.layers = nn.Sequential(Mixer(width), Mixer(width))
        self.head = nn.Linear(width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = images.permute(0, 3, 1, 2).to(self.head.weight.dtype) / 255
        return self.head(self.layers(self.patches(x)).mean(dim=(2, 3)))


def build_model(config: Config, facts: Facts) -> nn.Module:
    """Build the model."""
    model = Net(facts.shape[2], len(facts.classes), config.channels)
    model.patches.requires_grad_(False)
    return model


def initialize(model: nn.Module, config: Config) -> None:
    """Take what fits from --weights, where that is given."""
    if config.weights is not None:
        weights = torch.load(config.weights, weights_only=True)
        model.load_state_dict({n: w for n, w in weights.items() if "head" not in n}, strict=False)
