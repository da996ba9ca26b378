"""Random changes to training images: what each image gets follows from its number alone."""

import math

import numpy as np
import torch

from .base.facts import Facts
from .base.seeds import Stream, mix, uniform
from .config import Config

CACHED = 1 << 18  # bytes of images to work on at a time


class Augmentation:
    """Random shifts and mirror images, fixed by the seed, the epoch and the image's number."""

    def __init__(self, config: Config, facts: Facts) -> None:
        self.config, self.classes = config, len(facts.classes)
        self.seed, self.crop, self.flip = config.seed, config.random_crop, config.random_flip

    def draw(self, indices: np.ndarray, epoch: int, shape: tuple[int, ...]) -> np.ndarray:
        """How each image moves: pixels down, pixels right, and 1 to mirror it, (B, 3) int64.

        `indices` (B,) number the images, repeats past the last of them; `shape` is (H, W, C).
        """
        draws = uniform(mix(self.seed, Stream.AUGMENT, epoch), indices, 3)
        moves = np.zeros(draws.shape, np.int64)
        if self.crop:
            reach = np.array([shape[0] // 8, shape[1] // 8])
            moves[:, :2] = np.floor(draws[:, :2] * (2 * reach + 1)).astype(int) - reach
        if self.flip:
            moves[:, 2] = draws[:, 2] < 0.5
        return moves

    def apply(
        self, images: np.ndarray, targets: np.ndarray, moves: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Move images (B, H, W, C) uint8 in place, one after the other: the fast way on a CPU.

        Classes stay as they are; targets may move with the images, or be others from here on.
        """
        for image, (down, right, _) in zip(images, moves.tolist(), strict=True):
            if down or right:
                shift(image, down, right)
        mirror(images, np.flatnonzero(moves[:, 2]))
        return images, targets

    def apply_on_device(
        self, images: torch.Tensor, targets: torch.Tensor, moves: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What `apply` makes of images (B, H, W, C), all at once: the fast way on an accelerator.

        Each pixel looks up the one that it comes from; nothing here waits for the device.
        """
        count, height, width, _ = images.shape
        down, right, mirrored = moves.unsqueeze(2).unbind(dim=1)  # (B, 1) each
        rows = torch.arange(height, device=images.device) - down  # (B, H)
        columns = torch.arange(width, device=images.device).expand(count, width)
        columns = torch.where(mirrored > 0, columns.flip(1), columns) - right  # (B, W)
        inside_rows = ((rows >= 0) & (rows < height))[:, :, None]
        inside_columns = ((columns >= 0) & (columns < width))[:, None]
        found = images[
            torch.arange(count, device=images.device)[:, None, None],
            rows.clamp(0, height - 1)[:, :, None],
            columns.clamp(0, width - 1)[:, None],
        ]
        return found * (inside_rows & inside_columns)[..., None], targets  # (B, H, W, C)

    def mix_batch(
        self, images: torch.Tensor, targets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Change a training batch as a whole, on its device, as mixup does.

        Draw from torch's generator, seeded for each step. The task gets the targets it returns.
        """
        if self.config.mixup or self.config.cutmix or self.config.erasing or self.config.color:
            from .toolbox.mixing import change

            return change(images, targets, self.config, self.classes)
        return images, targets


def shift(image: np.ndarray, down: int, right: int) -> None:
    """Move an image (H, W, C) in place; what comes in at the edges is black.

    The same as padding with zeros and cropping at random, without the padded copy.
    """
    height, width, _ = image.shape
    top, left = max(down, 0), max(right, 0)
    source = image[max(-down, 0) : height - top, max(-right, 0) : width - left].copy()
    image[:] = 0
    image[top : top + source.shape[0], left : left + source.shape[1]] = source


def mirror(images: np.ndarray, chosen: np.ndarray) -> None:
    """Mirror the chosen ones of images (B, H, W, C) in place.

    As many at a time as a CPU's cache holds, and by torch: numpy takes up to ten times as long to
    copy pixels of three bytes backwards.
    """
    step = max(1, CACHED // math.prod(images.shape[1:]))
    for first in range(0, len(chosen), step):
        some = chosen[first : first + step]
        images[some] = torch.from_numpy(images[some]).flip(2).numpy()
