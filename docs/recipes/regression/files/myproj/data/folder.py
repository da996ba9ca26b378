"""Find the images and their targets in ROOT/labels.csv: a line for each image.

    file,angle,length
    leaves/1.jpg,12.5,31
    leaves/2.jpg,-40,28.4

The columns after the first are numbers, of which task.py knows the meaning.
"""

import csv
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from ..base.errors import DataError

TABLE = "labels.csv"


@dataclass(frozen=True)
class ImageTree:
    """N image files and the target of each."""

    root: Path
    classes: list[str]  # the columns of the table after the first
    targets: np.ndarray  # (N, classes) float32
    paths: np.ndarray  # (N,) bytes, relative to root: one buffer, which workers share

    def __len__(self) -> int:
        return len(self.paths)

    def path(self, index: int) -> str:
        return os.path.join(self.root, os.fsdecode(self.paths[index]))

    def select(self, indices: np.ndarray) -> Self:
        return replace(self, targets=self.targets[indices], paths=self.paths[indices])


def scan(root: Path) -> ImageTree:
    """Read the table of a folder. Raises DataError naming the line that is wrong."""
    table, paths, rows = root / TABLE, list[str](), list[list[float]]()
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            head = next(reader, [])
            for row in reader:
                if len(row) != len(head) or Path(row[0]).is_absolute() or ".." in row[0]:
                    raise ValueError(f"not a file below {root} and {len(head) - 1} numbers")
                paths.append(row[0])
                rows.append([float(text) for text in row[1:]])
    except OSError as error:
        raise DataError(f"{table} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"{table}, line {len(rows) + 2}: {error}") from error
    if not rows or head[0] != "file" or len(head) < 2:
        raise DataError(f"{table} needs a first line as file,angle, and a line for each image")
    targets = np.array(rows, np.float32)
    if not np.isfinite(targets).all() or len(set(paths)) < len(paths):
        raise DataError(f"{table} has a file twice, or a number that is not finite")
    return ImageTree(root, head[1:], targets, np.array([os.fsencode(path) for path in paths]))


def write_table(root: Path, tree: ImageTree) -> None:
    """Write what `scan` reads."""
    with (root / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["file", *tree.classes])
        for path, row in zip(tree.paths, tree.targets, strict=True):
            writer.writerow([os.fsdecode(path), *row])


def subfolders(folder: Path) -> list[str]:
    """The names of the folders in a folder, sorted; hidden ones are skipped."""
    return sorted(e.name for e in os.scandir(folder) if e.is_dir() and e.name[0] != ".")
