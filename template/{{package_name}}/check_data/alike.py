"""Which samples are the same, or nearly."""

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


class Mark(NamedTuple):
    """What is kept of a sample to compare it by."""

    digest: bytes  # equal for equal samples; empty if unreadable
    contrast: float  # standard deviation of gray; -1 for what is no image
    thumbnail: np.ndarray  # (SIDE * SIDE,) float32 of mean 0 and norm 1; zeros if there is none


UNREADABLE = Mark(b"", -1.0, np.zeros(SIDE * SIDE, np.float32))


def mark_of(content: np.ndarray) -> Mark:
    """Look at a sample of any shape and type; one of (H, W, 1 or 3) uint8 is an image."""
    digest = hashlib.blake2b(repr((content.shape, content.dtype)).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(content).data)
    if content.dtype != np.uint8 or content.ndim != 3 or content.shape[2] not in (1, 3):
        return UNREADABLE._replace(digest=digest.digest())
    gray = Image.fromarray(content[:, :, 0] if content.shape[2] == 1 else content).convert("L")
    contrast = float(np.asarray(gray).std())
    small = np.asarray(gray.resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float32)
    thumbnail = UNREADABLE.thumbnail if contrast <= FLAT else normalize(small.reshape(1, -1))[0]
    return Mark(digest.digest(), contrast, thumbnail)


def normalize(rows: np.ndarray) -> np.ndarray:
    """Rows (N, D) of mean 0 and norm 1; constant ones become 0."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def details(thumbnails: np.ndarray) -> np.ndarray:
    """What thumbnails (N, D) have besides their blur, normalized."""
    images = torch.from_numpy(thumbnails).view(-1, 1, SIDE, SIDE)
    padded = torch.nn.functional.pad(images, (1, 1, 1, 1), mode="replicate")
    blurred = torch.nn.functional.avg_pool2d(padded, 3, stride=1)
    return normalize((images - blurred).view(len(thumbnails), -1).numpy())


def nearly_equal(thumbnails: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of rows (N, D) whose images are nearly the same, the lower one first.

    Such are copies of another size, compression, brightness or contrast. Every two are compared.
    """
    rows = torch.from_numpy(thumbnails)
    for top in range(0, len(rows), TILE):
        for left in range(top, len(rows), TILE):
            alike = rows[top : top + TILE] @ rows[left : left + TILE].T > SAME
            first, second = (part.numpy() for part in alike.nonzero(as_tuple=True))
            first, second = first + top, second + left
            first, second = first[first < second], second[first < second]
            for start in range(0, len(first), TILE):  # there may be many
                a, b = first[start : start + TILE], second[start : start + TILE]
                close = (details(thumbnails[a]) * details(thumbnails[b])).sum(axis=1) > DETAIL
                yield from zip(a[close].tolist(), b[close].tolist(), strict=True)
