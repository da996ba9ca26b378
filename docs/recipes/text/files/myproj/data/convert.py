"""Texts of a table to a split of the data: the bytes of each, of one length."""

import shutil
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from . import storage
from .source import Texts, encode


def plan(trees: tuple[Texts, Texts], most: int | None, disk: Path) -> tuple[tuple[int], list[str]]:
    """The bytes that each text gets, and what to say of it.

    Those of the longest text, but `most` at most. Raises DataError where the disk is full.
    """
    sizes = np.sort([len(text.encode()) for tree in trees for text in tree.texts])
    longest = int(sizes[-1])
    length = max(1, min(longest, most or longest))
    needed, free = len(sizes) * length, shutil.disk_usage(disk).free
    if needed > free:
        raise DataError(
            f"texts of {length:,} bytes take {needed / 1e6:,.1f} MB, "
            f"but {free / 1e6:,.1f} MB are free: choose a smaller --max-length"
        )
    half = sizes[len(sizes) // 2]
    line = f"texts have {sizes[0]:,} to {longest:,} bytes, half of them up to {half:,}"
    cut = int((sizes > length).sum())
    if cut:
        line += f"; {cut:,} are cut to {length:,} (--max-length)"
    return (length,), [line]


def convert(tree: Texts, path: Path, size: tuple[int]) -> dict[int, str]:
    """Write one split; returns the texts that cannot be used: position and reason."""
    bad: dict[int, str] = {}
    tokens = np.zeros((len(tree), *size), np.uint8)
    for index, text in enumerate(tree.texts):
        try:
            tokens[index] = encode(text, *size)
        except DataError as error:
            bad[index] = f"{tree.path(index)}: {error}"
    kept = np.delete(np.arange(len(tree)), list(bad))
    storage.write(path, tokens[kept], tree.targets[kept], tree.classes)
    return bad
