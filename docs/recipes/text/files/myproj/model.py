"""The model: convolutions over the bytes of a text. This is the file to replace first.

Whatever stands here, `build_model` gives a module that maps texts (B, L) uint8, as they are stored,
to what `task.py` takes: outputs (B, classes), as they come from the last layer. A zero is padding,
and what is said of a text must not depend on it.
"""

import torch
import torch.nn.functional as F
from torch import nn

from .base.facts import Facts
from .config import Config

BYTES = 256  # what a token can be; 0 is padding


class Block(nn.Module):
    """A convolution of each channel, and two layers at each place (Liu et al., ConvNeXt, 2022).

    It looks at nine places, to both sides; padding counts as zeros.
    """

    def __init__(self, width: int, drop: float = 0.0) -> None:
        super().__init__()
        self.drop = drop  # probability that it is skipped in training
        self.norm = nn.LayerNorm(width)
        self.conv = nn.Conv1d(width, width, 9, padding=4, groups=width)
        self.expand = nn.Linear(width, 2 * width)
        self.shrink = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        y = self.norm(x) * there  # (B, L, width)
        y = self.conv(y.transpose(1, 2)).transpose(1, 2)
        y = self.shrink(F.gelu(self.expand(y)))
        if self.drop and self.training:  # by sample (Huang et al., Stochastic Depth, 2016)
            kept = torch.rand(len(y), 1, 1, device=y.device) >= self.drop
            y = y * kept / (1 - self.drop)
        return x + y


class TextNet(nn.Module):
    """Bytes become vectors, blocks look around, the mean and the largest of all places decide."""

    def __init__(self, classes: int, config: Config) -> None:
        super().__init__()
        width, count = config.width, config.blocks
        self.embedding = nn.Embedding(BYTES, width, padding_idx=0)  # zeros for padding
        self.stem = nn.Conv1d(width, width, 7, padding=3)
        drops = [config.drop_path * (number + 1) / count for number in range(count)]
        self.blocks = nn.ModuleList(Block(width, drop) for drop in drops)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, texts: torch.Tensor) -> torch.Tensor:
        if not torch.compiler.is_compiling():  # which wants one length
            texts = trim(texts)
        there = (texts != 0).unsqueeze(2)  # (B, L, 1)
        x = self.embedding(texts.long())  # (B, L, width)
        x = self.stem(x.transpose(1, 2)).transpose(1, 2)
        for block in self.blocks:
            x = block(x, there)
        x = self.norm(x)
        return self.head(self.dropout(pool(x, there)))  # (B, classes)


def trim(texts: torch.Tensor) -> torch.Tensor:
    """Texts (B, L) without what is padding in all of them, so that no time is spent on it."""
    places = torch.arange(1, texts.shape[1] + 1, device=texts.device)
    longest = int((places * (texts != 0).any(dim=0)).max())
    return texts[:, : max(longest, 1)]


def pool(x: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """The mean and the largest value of each channel of x (B, L, C), where there is text: (B, 2C).

    A text of padding alone gives zeros.
    """
    mean = (x * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)
    largest = x.masked_fill(~there, -torch.inf).amax(dim=1)
    return torch.cat([mean, largest.where(there.any(dim=1), 0)], dim=1)


def build_model(config: Config, facts: Facts) -> nn.Module:
    """Build the model for data of these facts: `classes`."""
    return TextNet(len(facts.classes), config)


def initialize(model: nn.Module, config: Config) -> None:
    """Give a new run its weights, from torch's seed; a checkpoint's are never touched.

    A block begins as its shortcut. Weights from a file are loaded here.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)
            nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, Block):
            nn.init.zeros_(module.shrink.weight)
