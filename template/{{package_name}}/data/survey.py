"""The sizes of the images of a source: the one that all are read in, and what `prepare` says."""

import contextlib
import os
from collections.abc import Sequence

import numpy as np
from PIL import ExifTags, Image

from ..base.errors import DataError
from .folders import Tree
from .images import read

LOOKED_AT = 1000  # images whose headers are read


def choose_size(tree: Tree, asked: int | None = None) -> tuple[tuple[int, int], str]:
    """Height and width that all images are read in, and where these come from.

    As asked, or those of the first image that can be read.
    """
    if asked is not None:
        return (asked, asked), "as --image-size says"
    for index in range(len(tree)):
        path = tree.path(index)
        with contextlib.suppress(DataError):
            height, width, _ = read(path).shape
            return (height, width), f"the size of the first one, {os.path.relpath(path, tree.root)}"
    return (1, 1), "as none can be read"  # which is said later


def describe_sizes(trees: Sequence[Tree], size: tuple[int, int], origin: str) -> str:
    """The range of the images' sizes, and the one that all are read at."""
    found = [size_of for path in spread(trees) if (size_of := header_size(path)) is not None]
    height, width = size
    read_in = f"all are read at {height} x {width}, {origin}"
    if not found:
        return read_in
    low, high = (of(found, key=lambda s: (s[0] * s[1], s)) for of in (min, max))
    sizes = f"{low[0]} x {low[1]}"
    if low != high:
        sizes = f"from {sizes} to {high[0]} x {high[1]}"
    return f"images are {sizes} pixels (height x width); {read_in}"


def spread(trees: Sequence[Tree]) -> list[str]:
    """The paths of up to LOOKED_AT images, evenly spread over all of them."""
    count = sum(map(len, trees))
    chosen = np.unique(np.linspace(0, count - 1, min(LOOKED_AT, count)).astype(int))
    paths: list[str] = []
    for tree in trees:
        paths += tree.paths(chosen[(chosen >= 0) & (chosen < len(tree))])
        chosen = chosen - len(tree)
    return paths


def header_size(path: str) -> tuple[int, int] | None:
    """Height and width as the file's header has them; None where it cannot be read."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            # a PNG may have its tags behind the pixels, which it would decode to find them
            tags = {} if image.format == "PNG" and "exif" not in image.info else image.getexif()
            turned = tags.get(ExifTags.Base.Orientation, 1) >= 5  # by a quarter
    except Exception:  # a damaged header makes Pillow raise nearly anything
        return None
    return (width, height) if turned else (height, width)
