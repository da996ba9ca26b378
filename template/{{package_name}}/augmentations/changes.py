"""Changes to a batch of training images, in a data worker.

What each image gets follows from the seed, the epoch and its index. Whom it is mixed with follows
from the seed, the epoch and the batch, whose first sample stands for it.

Images are (B, H, W, C) uint8. Targets are class numbers (B,), and once mixed the share of each
class, (B, classes) float32.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from PIL import Image

from ..base.errors import FlagError
from ..base.seeds import Stream, mix, uniform
from ..config import Config

ERASED_AREA, ERASED_ASPECT = (0.02, 0.33), (0.3, 3.3)  # share of the image; height to width
CROP_ASPECT = (3 / 4, 4 / 3)  # height to width
GRAY = np.array([0.299, 0.587, 0.114], np.float32)  # of red, green, blue, by ITU-R BT.601

Pair = tuple[np.ndarray, np.ndarray]
SumsMethod = TypeVar("SumsMethod", bound=Callable[..., Any])


class Changes:
    """The augmentations whose flags are given."""

    def __init__(self, config: Config, classes: int) -> None:
        """Raise FlagError for what cached images exclude."""
        self.config, self.classes = config, classes
        in_workers = ("mixup", "cutmix", "erasing", "color")
        if config.cache == "device" and (given := [n for n in in_workers if getattr(config, n)]):
            raise FlagError(
                f"--{given[0]} changes images before they are on the device, where --cache device "
                "keeps them: drop one of them"
            )
        if config.resized_crop < 1 and config.cache != "none":
            raise FlagError(
                "--resized-crop cuts from the images as they are stored, which --cache "
                f"{config.cache} keeps resized: drop one of them"
            )

    def _key(self, epoch: int, *parts: int) -> int:
        return mix(self.config.seed, Stream.AUGMENT, epoch, *parts)

    def __call__(
        self, images: np.ndarray, targets: np.ndarray, indices: np.ndarray, epoch: int
    ) -> Pair:
        """Change colors first, then erase boxes, then mix."""
        config = self.config
        if config.color:
            draws = uniform(self._key(epoch, 1), indices, 3)
            images = change_color(images, 1 + config.color * (2 * draws - 1))
        if config.erasing:
            key = self._key(epoch, 2)
            for image, index, draws in zip(images, indices, uniform(key, indices, 5), strict=True):
                if draws[0] < config.erasing:
                    erase(image, draws[1:], np.random.default_rng(mix(key, int(index))))
        if config.mixup or config.cutmix:
            random = np.random.default_rng(self._key(epoch, 3, int(indices[0])))
            # with both, each batch gets one of them
            mixes = bool(config.mixup) and (not config.cutmix or random.random() < 0.5)
            alpha, method = (config.mixup, mixup) if mixes else (config.cutmix, cutmix)
            order = random.permutation(len(images))
            share = float(random.beta(alpha, alpha))
            images, share = method(images, order, share, random)
            targets = mix_targets(targets, order, share, self.classes)
        return images, targets

    def resized_crop(
        self, image: np.ndarray, size: tuple[int, int], index: int, epoch: int
    ) -> np.ndarray:
        """A random box of a stored image (H, W, C), resized to `size` (height, width).

        Szegedy et al., Going Deeper with Convolutions, 2015.
        """
        height, width, _ = image.shape
        draws = uniform(self._key(epoch, 4), np.array([index]), 4)[0]
        area = between(self.config.resized_crop, 1, draws[0]) * height * width
        tall, wide = box_size(area, log_between(*CROP_ASPECT, draws[1]), height, width)
        top, left = place(tall, height, draws[2]), place(wide, width, draws[3])
        box, shape = (left, top, left + wide, top + tall), (size[1], size[0])
        planes = [Image.fromarray(plane) for plane in np.moveaxis(image, 2, 0)]
        bilinear = Image.Resampling.BILINEAR
        return np.stack([np.asarray(p.resize(shape, bilinear, box)) for p in planes], axis=2)


def between(low: float, high: float, draw: float) -> float:
    """Turn a draw from [0, 1) into one between two bounds."""
    return low + (high - low) * draw


def log_between(low: float, high: float, draw: float) -> float:
    """The same on a logarithmic scale."""
    return math.exp(between(math.log(low), math.log(high), draw))


def box_size(area: float, aspect: float, height: int, width: int) -> tuple[int, int]:
    """Height and width of a box with this area in pixels, cut to what an image has."""
    tall, wide = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
    return min(max(tall, 1), height), min(max(wide, 1), width)


def place(length: int, size: int, draw: float) -> int:
    """Where a stretch of this length starts, anywhere in 0 .. size - length."""
    return int(draw * (size - length + 1))


def erase(image: np.ndarray, draws: np.ndarray, random: np.random.Generator) -> None:
    """Fill a box of an image (H, W, C) with noise, in place.

    Zhong et al., Random Erasing Data Augmentation, 2017.
    """
    height, width, channels = image.shape
    area = between(*ERASED_AREA, draws[0]) * height * width
    tall, wide = box_size(area, log_between(*ERASED_ASPECT, draws[1]), height, width)
    top, left = place(tall, height, draws[2]), place(wide, width, draws[3])
    noise = random.integers(0, 256, (tall, wide, channels), np.uint8)
    image[top : top + tall, left : left + wide] = noise


def change_color(images: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Multiply brightness, contrast and, of three channels, saturation by factors (B, 3)."""
    brightness, contrast, saturation = factors.T.astype(np.float32)[:, :, None, None, None]
    changed = images * brightness
    mean = gray(changed).mean(axis=(1, 2, 3), keepdims=True)
    changed = mean + contrast * (changed - mean)
    if images.shape[3] == 3:
        center = gray(changed)
        changed = center + saturation * (changed - center)
    return to_uint8(changed)


def gray(images: np.ndarray) -> np.ndarray:
    """The brightness of each pixel, (B, H, W, 1)."""
    if images.shape[3] == 3:
        return (images @ GRAY)[..., None]
    return images.mean(axis=3, keepdims=True)


def to_uint8(images: np.ndarray) -> np.ndarray:
    """Round to the numbers that a pixel can have."""
    return images.round().clip(0, 255).astype(np.uint8)


def mixup(
    images: np.ndarray, order: np.ndarray, share: float, random: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Blend each image with the one at its place in `order`; `share` of it stays its own.

    Zhang et al., mixup: Beyond Empirical Risk Minimization, 2018.
    """
    own = np.float32(share)
    return to_uint8(own * images + (1 - own) * images[order]), share


def cutmix(
    images: np.ndarray, order: np.ndarray, share: float, random: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Paste a box of the image at its place in `order` into each; returns the share that is left.

    It is more than `share` where the box reaches over the edge. Yun et al., CutMix, 2019.
    """
    _, height, width, _ = images.shape
    part = math.sqrt(1 - share)
    rows = span(height, round(part * height), random)
    columns = span(width, round(part * width), random)
    mixed = images.copy()
    mixed[:, rows, columns] = images[order][:, rows, columns]
    pasted = (rows.stop - rows.start) * (columns.stop - columns.start)
    return mixed, 1 - pasted / (height * width)


def span(size: int, length: int, random: np.random.Generator) -> slice:
    """A stretch around a random place of 0 .. size - 1, cut off at the edges."""
    start = int(random.integers(size)) - length // 2
    return slice(max(start, 0), min(start + length, size))


def mix_targets(targets: np.ndarray, order: np.ndarray, share: float, classes: int) -> np.ndarray:
    """The share of each class, (B, classes) float32; real numbers are mixed as they are."""
    if targets.ndim == 1 and targets.dtype.kind in "iu":
        targets = np.eye(classes, dtype=np.float32)[targets]
    if targets.dtype.kind != "f":
        raise FlagError("--mixup and --cutmix need targets that are class numbers or real numbers")
    own = np.float32(share)
    return own * targets + (1 - own) * targets[order]


def with_hard_targets(sums: SumsMethod) -> SumsMethod:
    """Give `Task.sums` class numbers: of a mixed target, the class with the largest share."""

    @functools.wraps(sums)
    def wrapper(task: Any, outputs: Any, targets: Any) -> Any:
        return sums(task, outputs, targets if targets.ndim == 1 else targets.argmax(dim=1))

    return cast(SumsMethod, wrapper)
