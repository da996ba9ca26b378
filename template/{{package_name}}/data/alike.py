"""Which samples are the same, or nearly: what is kept of each, and the search for pairs."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image

SIDE = 16  # pixels of a thumbnail
SAME = 0.985  # correlation of two thumbnails that are nearly the same,
DETAIL = 0.9  # and of their details: what is left without their blur
TILE = 4096  # rows of thumbnails to compare at once
FLAT = 2.0  # standard deviation, of 0 to 255, up to which an image is blank


class Marks(NamedTuple):
    """What is kept of N samples to compare them by."""

    digests: list[bytes]  # equal where the contents are, bit for bit; empty where unreadable
    sizes: np.ndarray  # (N, 2) int64, height and width; 0 for what is no image
    contrasts: np.ndarray  # (N,) float32, the standard deviation of grey; -1 for what is no image
    thumbnails: np.ndarray  # (N, SIDE * SIDE) float32 of mean 0 and norm 1; 0 where there is none


class Mark(NamedTuple):
    """The same of one sample."""

    digest: bytes
    size: tuple[int, int]
    contrast: float
    thumbnail: np.ndarray


NONE = Mark(b"", (0, 0), -1.0, np.zeros(SIDE * SIDE, np.float32))


def mark_of(content: np.ndarray) -> Mark:
    """Look at a sample of any shape and type; one of (H, W, 1 or 3) uint8 is an image."""
    digest = hashlib.blake2b(repr((content.shape, content.dtype)).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(content).data)
    if content.dtype != np.uint8 or content.ndim != 3 or content.shape[2] not in (1, 3):
        return NONE._replace(digest=digest.digest())
    height, width, channels = content.shape
    grey = Image.fromarray(content[:, :, 0] if channels == 1 else content).convert("L")
    contrast = float(np.asarray(grey).std())
    small = np.asarray(grey.resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float32)
    thumbnail = normalized(small.reshape(1, -1))[0] if contrast > FLAT else NONE.thumbnail
    return Mark(digest.digest(), (height, width), contrast, thumbnail)


def collect(marks: list[Mark]) -> Marks:
    """The marks of all samples, in their order."""
    digests, sizes, contrasts, thumbnails = zip(*marks, strict=True) if marks else ((),) * 4
    return Marks(
        list(digests),
        np.array(sizes, np.int64).reshape(-1, 2),
        np.array(contrasts, np.float32),
        np.array(thumbnails, np.float32).reshape(-1, SIDE * SIDE),
    )


def normalized(rows: np.ndarray) -> np.ndarray:
    """Rows (N, D) of mean 0 and norm 1; those that are the same everywhere become 0."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def details(thumbnails: np.ndarray) -> np.ndarray:
    """What thumbnails (N, D) have besides their blur, normalized."""
    images = torch.from_numpy(thumbnails).view(-1, 1, SIDE, SIDE)
    padded = torch.nn.functional.pad(images, (1, 1, 1, 1), mode="replicate")
    blurred = torch.nn.functional.avg_pool2d(padded, 3, stride=1)
    return normalized((images - blurred).view(len(thumbnails), -1).numpy())


def nearly_equal(thumbnails: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of rows (N, D) whose images are nearly the same: each pair once, the lower one first.

    Such are copies of another size, compression, brightness or contrast. Every two are compared.
    """
    rows = torch.from_numpy(thumbnails)
    for top in range(0, len(rows), TILE):
        for left in range(top, len(rows), TILE):
            alike = rows[top : top + TILE] @ rows[left : left + TILE].T > SAME
            first, second = (part.numpy() for part in alike.nonzero(as_tuple=True))
            first, second = first + top, second + left
            first, second = first[first < second], second[first < second]
            for start in range(0, len(first), TILE):  # as many as there are of blank images, say
                a, b = first[start : start + TILE], second[start : start + TILE]
                close = (details(thumbnails[a]) * details(thumbnails[b])).sum(axis=1) > DETAIL
                yield from zip(a[close].tolist(), b[close].tolist(), strict=True)
