"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is segmentation: targets (B, H, W) uint8 are the class of each pixel, or 255 where it does
not count; outputs (B, classes, H, W) float32 are scores before any softmax.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .base.errors import DataError, FlagError
from .base.facts import Facts
from .config import Config

Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape

IGNORED = 255  # the value of pixels that do not count


class Task(nn.Module):
    """Segmentation: each pixel is of one class."""

    best = "mean_iou"  # the metric that `best.pt` follows
    higher_is_better = True

    def __init__(self, config: Config, facts: Facts) -> None:
        """Take the settings, and the facts of the data: `classes`."""
        super().__init__()
        self.classes: list[str] = facts.classes
        self.label_smoothing = config.label_smoothing
        if config.loss != "cross-entropy" or config.class_weights:
            raise FlagError("masks are learned by --loss cross-entropy, without --class-weights")

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (): of each the mean over its pixels that count."""
        losses = F.cross_entropy(
            outputs,
            targets.long(),
            ignore_index=IGNORED,
            reduction="none",
            label_smoothing=self.label_smoothing if self.training else 0.0,
        )
        counted = (targets != IGNORED).sum(dim=(1, 2))  # (B,)
        return (losses.sum(dim=(1, 2)) / counted.clamp(min=1)).sum()

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """What the metrics need besides the loss, as sums over the pixels that count."""
        count = len(self.classes)
        # a place for each pair of a true and a found class, and one for pixels that do not count
        pairs = targets.long() * count + outputs.argmax(dim=1)
        places = torch.where(targets != IGNORED, pairs, count**2).flatten()
        pixels = torch.zeros(count**2 + 1, dtype=torch.int64, device=outputs.device)
        pixels = pixels.scatter_add(0, places, torch.ones_like(places))[:-1].view(count, count)
        right = pixels.diagonal()
        return {
            "intersection": right,  # (classes,)
            "union": pixels.sum(dim=0) + pixels.sum(dim=1) - right,
            "pixels": pixels.sum(),
        }

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """The metrics besides the loss, from the sums over all samples, in float64.

        Intersection over union is that of all pixels of all samples. Its mean leaves out classes
        that neither occur nor were found.
        """
        occurs = sums["union"] > 0
        shares = sums["intersection"][occurs] / sums["union"][occurs]
        right = sums["intersection"].sum() / sums["pixels"].clamp(min=1)
        mean = shares.mean().item() if len(shares) else 0.0
        return {"mean_iou": mean, "pixel_accuracy": right.item()}

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: probabilities (B, classes, H, W)."""
        return outputs.softmax(dim=1)

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample: the share of its pixels of each class."""
        found = activated.argmax(dim=1).flatten(start_dim=1)  # (B, H * W)
        counts = [(found == number).double().mean(dim=1) for number in range(len(self.classes))]
        rows = torch.stack(counts, dim=1).tolist()
        return [{"shares": dict(zip(self.classes, row, strict=True))} for row in rows]

    def in_words(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample: its classes, the largest first."""
        shares = sorted(prediction["shares"].items(), key=lambda pair: -pair[1])
        return ", ".join(f"{name} {share:.1%}" for name, share in shares if share > 0)


def target_facts(reader: Any) -> dict[str, Any]:
    """What a task has to know of the training targets: nothing, so that no mask is read for it."""
    return {}


def check_data(train: Any, val: Any) -> None:
    """Raise DataError where what the readers have cannot be learned or measured."""
    if getattr(train.targets, "ndim", 3) != 3:
        raise DataError("each image has a class here, not a mask: --shards reads classes alone")
    if len(train.classes) < 2:
        raise DataError("there is one class alone, and so nothing to tell apart")
    if val.classes != train.classes:
        odd = sorted(set(val.classes) ^ set(train.classes))
        raise DataError(
            "the validation and the training data name different classes "
            f"({', '.join(odd[:5]) or 'in another order'}); prepare both from one source"
        )
