"""Losses of a classifier besides plain cross-entropy, and what its scores mean under each.

Outputs (B, classes) float32 are scores. Targets are class numbers (B,) int64, or the share of each
class (B, classes) float32, as of two images that were mixed. Every loss is a sum over the samples.

- focal: Lin et al., Focal Loss for Dense Object Detection, 2017, here over a softmax
- binary: a yes or no for each class; Wightman et al., ResNet strikes back, 2021
- mse: Hui, Belkin, Evaluation of Neural Architectures Trained with Square Loss vs Cross-Entropy,
  2021, which takes raw scores, since the square of a softmax has flat regions; so does huber
- weights of classes: by the inverse of their size; see also Cui et al., Class-Balanced Loss, 2019
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import nn

from ..base.errors import FlagError
from ..base.facts import Facts


class Criterion(nn.Module):
    """A loss by its name. Weights of classes count in training alone, as smoothing does."""

    weights: torch.Tensor | None

    def __init__(self, loss: str, focal_gamma: float, weighted: bool, facts: Facts) -> None:
        """Weigh the classes, where that is asked for, by their training samples among the facts."""
        super().__init__()
        self.kind, self.focal_gamma = loss, focal_gamma
        weights = class_weights(facts.targets.get("counts", ())) if weighted else None
        self.register_buffer("weights", weights, persistent=False)

    def forward(
        self, outputs: torch.Tensor, targets: torch.Tensor, smoothing: float
    ) -> torch.Tensor:
        """The sum of the samples' losses, (), towards targets of which a share is spread evenly.

        Cross-entropy and focal weigh the term of each class, as `F.cross_entropy` does; the others
        weigh the whole sample by its class, as each of their terms speaks of all classes.
        """
        weights = self.weights if self.training else None
        weights = None if weights is None else weights.to(outputs.dtype)
        shares = shares_of(targets, outputs)  # (B, classes)
        wanted = (1 - smoothing) * shares + smoothing / outputs.shape[1]
        if self.kind == "cross-entropy":
            return F.cross_entropy(outputs, wanted, weights, reduction="sum")
        if self.kind == "focal":
            return focal(outputs, wanted, self.focal_gamma, weights)
        if self.kind == "binary":
            terms = F.binary_cross_entropy_with_logits(outputs, wanted, reduction="none")
        elif self.kind == "mse":
            terms = F.mse_loss(outputs, wanted, reduction="none")
        else:
            terms = F.huber_loss(outputs, wanted, reduction="none")
        if weights is not None:
            terms = terms * (shares * weights).sum(dim=1, keepdim=True)
        return terms.sum()

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """The probability of each class (B, classes); those of `binary` need not sum to 1.

        Scores that were trained towards 0 and 1 estimate the probabilities themselves. So what is
        negative counts as 0, and the rest is divided by its sum.
        """
        if self.kind == "binary":
            return outputs.sigmoid()
        softmax = outputs.softmax(dim=1)
        if self.kind not in ("mse", "huber"):
            return softmax
        positive = outputs.clamp(min=0)
        total = positive.sum(dim=1, keepdim=True)
        smallest = torch.finfo(outputs.dtype).tiny  # where none is positive, only their order tells
        return torch.where(total >= smallest, positive / total.clamp(min=smallest), softmax)


def shares_of(targets: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
    """The share of each class (B, classes) in targets of either kind, in the outputs' type."""
    if targets.ndim == 1:
        targets = F.one_hot(targets, outputs.shape[1])
    return targets.to(outputs.dtype)


def focal(
    outputs: torch.Tensor, shares: torch.Tensor, gamma: float, weights: torch.Tensor | None
) -> torch.Tensor:
    """The sum of -(1 - p)^gamma log p over samples and classes, each with its share, ()."""
    logs = outputs.log_softmax(dim=1)  # (B, classes)
    missing = -torch.expm1(logs)  # 1 - p, without the rounding of p to 1
    # a power below 1 is infinitely steep at 0
    factors = missing.clamp(min=torch.finfo(missing.dtype).eps) ** gamma
    terms = shares * factors * logs
    return -(terms if weights is None else terms * weights).sum()


def class_weights(counts: Sequence[int]) -> torch.Tensor:
    """A weight for each class, (classes,), inverse to its training samples; their mean is 1.

    The mean is taken over samples, so a class of the average size has 1; one without samples, as
    a part of the data may have, 0. Raises FlagError where the classes were not counted.
    """
    if not counts:
        raise FlagError("--class-weights needs targets that are class numbers, one for each sample")
    there = sum(count > 0 for count in counts)
    return torch.tensor([sum(counts) / (there * count) if count else 0.0 for count in counts])
