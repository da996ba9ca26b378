"""The focal loss, and weights of classes.

Outputs (B, classes) float32 are scores. Targets are class numbers (B,), or the share of each class
(B, classes) float32, as of images that were mixed.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import nn

from ..config import Config


class Criterion(nn.Module):
    """The loss that --loss and --class-weights ask for. The weights count in training alone."""

    weights: torch.Tensor | None

    def __init__(self, config: Config, counts: Sequence[int]) -> None:
        """Take the number of training samples of each class."""
        super().__init__()
        self.gamma = config.focal_gamma if config.loss == "focal" else 0.0
        weights = class_weights(counts) if config.class_weights else None
        self.register_buffer("weights", weights, persistent=False)

    def forward(
        self, outputs: torch.Tensor, targets: torch.Tensor, smoothing: float
    ) -> torch.Tensor:
        """The sum of the samples' losses, (); a share `smoothing` of each target is spread."""
        weights = self.weights if self.training else None
        if not self.gamma and weights is None:
            return F.cross_entropy(outputs, targets, reduction="sum", label_smoothing=smoothing)
        if targets.ndim == 1:
            targets = F.one_hot(targets, outputs.shape[1])
        targets = (1 - smoothing) * targets.to(outputs.dtype) + smoothing / outputs.shape[1]
        if self.gamma:
            return focal_loss(outputs, targets, self.gamma, weights)
        return F.cross_entropy(outputs, targets, weights, reduction="sum")


def focal_loss(
    outputs: torch.Tensor, targets: torch.Tensor, gamma: float, weights: torch.Tensor | None
) -> torch.Tensor:
    """The sum of -(1 - p)^gamma log p over samples and classes, each with its share, ().

    Lin et al., Focal Loss for Dense Object Detection, 2017; here over a softmax.
    """
    log_p = outputs.log_softmax(dim=1)  # (B, classes)
    rest = -torch.expm1(log_p)  # 1 - p, without the rounding of p to 1
    # a power below 1 has an infinite slope at 0
    terms = targets * rest.clamp(min=torch.finfo(rest.dtype).eps) ** gamma * log_p
    return -(terms if weights is None else terms * weights).sum()


def class_weights(counts: Sequence[int]) -> torch.Tensor:
    """Weights (classes,) inverse to the number of samples; their mean over the samples is 1."""
    return torch.tensor([sum(counts) / (len(counts) * count) for count in counts])
