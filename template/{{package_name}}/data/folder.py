"""Find the images in ROOT/<class>/<image>, in the order of torchvision's ImageFolder."""

import os
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from ..base import distributed
from ..base.errors import DataError
from .images import EXTENSIONS


@dataclass(frozen=True)
class ImageTree:
    """N image files and the target of each. Edit `scan` for other targets than classes."""

    root: Path
    classes: list[str]
    targets: np.ndarray  # (N, ...)
    paths: np.ndarray  # (N,) bytes, relative to root: one buffer, which workers share

    def __len__(self) -> int:
        return len(self.paths)

    def path(self, index: int) -> str:
        return os.path.join(self.root, os.fsdecode(self.paths[index]))

    def select(self, indices: np.ndarray) -> Self:
        return replace(self, targets=self.targets[indices], paths=self.paths[indices])


def scan(root: Path) -> ImageTree:
    """Find the images: classes sorted, then files by folder and name. Counts other files.

    Raises DataError, or OSError for a folder that cannot be read.
    """
    names, others = subfolders(root), Counter[str]()
    found = [images_below(root, name, others) for name in names]
    if not any(found):
        raise DataError(f"{root} has no images as <class>/<image> ({' '.join(EXTENSIONS)})")
    targets = np.repeat(np.arange(len(names)), [len(paths) for paths in found])
    files = np.array([os.fsencode(path) for paths in found for path in paths])
    if others and distributed.RANK == 0:
        kinds = ", ".join(f"{count:,} {suffix}" for suffix, count in others.most_common(5))
        print(f"{root}: files that are not read: {kinds}", file=sys.stderr)
    return ImageTree(root, names, targets, files)


def subfolders(folder: Path) -> list[str]:
    """The names of the folders in a folder, sorted; hidden ones are skipped."""
    return sorted(e.name for e in os.scandir(folder) if e.is_dir() and e.name[0] != ".")


def images_below(root: Path, name: str, others: Counter[str]) -> list[str]:
    """The images at any depth below a class folder, from the root; `others` counts the rest."""
    found = []
    for folder, inner, files in os.walk(root / name, onerror=reraise, followlinks=True):
        inner[:] = [i for i in inner if i[0] != "."]
        for file in files:
            if file.lower().endswith(EXTENSIONS) and file[0] != ".":
                found.append((folder, file))
            elif file[0] != ".":
                others[os.path.splitext(file)[1].lower() or "no suffix"] += 1
    return [os.path.relpath(os.path.join(*place), root) for place in sorted(found)]


def reraise(error: OSError) -> None:
    raise error  # os.walk would skip a folder that it may not read
