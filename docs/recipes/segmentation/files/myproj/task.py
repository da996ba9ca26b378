"""What is learned: the targets, the loss, the metrics, and how a prediction is worded.

Here it is segmentation: targets (B, H, W) uint8 are the classes of the pixels, or IGNORED; outputs
(B, classes, H, W) float32 are scores before any softmax.
"""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .base.errors import DataError
from .base.seeds import Stream, mix, permutation
from .config import Config
from .data.info import DatasetInfo

IGNORED = 255  # of a mask: a pixel that does not count
Sums = dict[str, torch.Tensor]  # over samples, by name, of any shape


class Task(nn.Module):
    """Segmentation: each pixel is of one class."""

    best = "mean_iou"  # the metric that `best.pt` follows
    higher_is_better = True

    def __init__(self, config: Config, info: DatasetInfo) -> None:
        """Take the settings, and the info of the data: `classes`."""
        super().__init__()
        self.classes: list[str] = info.classes
        self.label_smoothing = config.label_smoothing

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum of the samples' losses, (): of each the mean over its pixels that count."""
        losses = F.cross_entropy(
            outputs.movedim(1, -1).flatten(0, 2),  # one row a pixel: deterministic on a GPU, too
            targets.flatten().long(),
            reduction="none",
            ignore_index=IGNORED,
            label_smoothing=self.label_smoothing if self.training else 0.0,
        )
        counted = (targets != IGNORED).sum(dim=(1, 2)).clamp(min=1)
        return (losses.view(targets.shape).sum(dim=(1, 2)) / counted).sum()

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> Sums:
        """Pixels (classes, classes): a row for each true class, a column for each found one."""
        count = len(self.classes)
        pairs = targets.long() * count + outputs.argmax(dim=1)
        pairs = pairs[targets != IGNORED]
        return {"pixels": torch.bincount(pairs, minlength=count**2).view(count, count)}

    def metrics(self, sums: Sums, samples: int) -> dict[str, float]:
        """Over all pixels of all samples, without classes that neither are there nor were found."""
        pixels = sums["pixels"]
        both, either = pixels.diagonal(), pixels.sum(dim=0) + pixels.sum(dim=1) - pixels.diagonal()
        known = either > 0
        return {
            "pixel_accuracy": (both.sum() / pixels.sum().clamp(min=1)).item(),
            "mean_iou": (both[known] / either[known]).sum().item() / max(1, int(known.sum())),
        }

    def activate(self, outputs: torch.Tensor) -> torch.Tensor:
        """What a deployed model gives for each sample: probabilities (B, classes, H, W)."""
        return outputs.float().softmax(dim=1)

    def predictions(self, activated: torch.Tensor) -> list[dict[str, Any]]:
        """What `predict --json` prints for each sample: the share of each class that was found."""
        masks = F.one_hot(activated.argmax(dim=1), len(self.classes))  # (B, H, W, classes)
        shares = masks.float().mean(dim=(1, 2)).tolist()
        return [{"shares": dict(zip(self.classes, row, strict=True))} for row in shares]

    def format_prediction(self, prediction: dict[str, Any]) -> str:
        """What `predict` prints for a sample."""
        shares = prediction["shares"].items()
        return ", ".join(f"{name} ({share:.1%})" for name, share in shares if share)


def check_targets(train: Any, val: Any) -> list[int]:
    """Count the pixels of each class. Raise DataError where the data cannot be learned."""
    for data in (train, val):
        masks, images = data.targets.shape[1:], tuple(data.shape[:2])
        if masks != images:
            raise DataError(
                f"the masks have {masks} pixels, the images {images}: leave --image-size out, and "
                "let `prepare` fit the masks"
            )
    counts = np.zeros(256, int)
    for mask in train.targets:
        counts += np.bincount(mask.ravel(), minlength=256)
    counts = counts[: len(train.classes)]
    if not counts.all():
        name = train.classes[int(counts.argmin())]
        raise DataError(f"the training data has no pixel of class {name!r} to train on")
    return counts.tolist()


def sample_order(config: Config, data: Any, epoch: int) -> np.ndarray:
    """The samples of an epoch, batch by batch: each once, shuffled."""
    return permutation(mix(config.seed, Stream.SHUFFLE, epoch), len(data))
