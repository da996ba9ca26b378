"""Random changes to training images; what each image gets is a function of its key alone."""

from dataclasses import dataclass

import numpy as np

from .seeds import Stream, mix, uniform


@dataclass(frozen=True)
class Augmentation:
    """Random shifts and mirror images, fixed by the seed, the epoch and the image's number."""

    seed: int
    crop: bool
    flip: bool

    def __call__(self, images: np.ndarray, indices: np.ndarray, epoch: int) -> None:
        """Change images (B, H, W, C) uint8 in place; `indices` (B,) number them in the data."""
        key = mix(self.seed, Stream.AUGMENT, epoch)
        draws = uniform(key, indices, 3)  # (B, 3): down, right, mirrored
        if self.crop:
            _, height, width, _ = images.shape
            reach = np.array([height // 8, width // 8])
            shifts = np.floor(draws[:, :2] * (2 * reach + 1)).astype(int) - reach
            for image, (down, right) in zip(images, shifts.tolist(), strict=True):
                shift(image, down, right)
        if self.flip:
            mirrored = draws[:, 2] < 0.5
            images[mirrored] = images[mirrored, :, ::-1]


def shift(image: np.ndarray, down: int, right: int) -> None:
    """Move an image (H, W, C) in place; what comes in at the edges is black.

    The same as padding with zeros and cropping at random, without the padded copy.
    """
    height, width, _ = image.shape
    top, left = max(down, 0), max(right, 0)
    source = image[max(-down, 0) : height - top, max(-right, 0) : width - left].copy()
    image[:] = 0
    image[top : top + source.shape[0], left : left + source.shape[1]] = source
