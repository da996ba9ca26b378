"""What `prepare` reads, and what is to be learned of each image: real numbers.

ROOT/targets.csv has a line for each image: its file, relative to ROOT, and a number for each of the
columns, which have names. The unit of a column may stand behind its name, in brackets.

    file,angle [deg],weight [kg]
    day/1.jpg,12.5,0.31
    day/2.jpg,-3,0.29
"""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from ..base.errors import DataError, UserError
from . import folders
from .folders import Names, Tree

TABLE = "targets.csv"
SAMPLE = "image"  # what a sample is called in messages
SHOWN = 5  # columns that are described
LARGEST = float(np.finfo(np.float32).max)


def find_splits(
    source: Path, val_fraction: float, seed: int, *, leaves: bool = False
) -> tuple[Tree, Tree]:
    """The images of train and val: as `source` has them apart, or else split by chance."""
    if leaves:
        raise DataError(f"--leaves is for class folders: here {TABLE} has the targets")

    def has_table(folder: Path) -> bool:
        return (folder / TABLE).is_file()

    return folders.find_splits(source, scan, has_table, TABLE, val_fraction, seed)


def scan(root: Path) -> Tree:
    """Read the table: images in its order, the names of its columns in place of classes.

    Targets are (N, columns) float32. Raises DataError, naming the line, where the table is not as
    it should be.
    """
    table = root / TABLE
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{table}: {reason}") from error
    first, *columns = [cell.strip() for cell in rows[0]] if rows else [""]
    if first != "file" or not all(columns) or not columns:
        raise DataError(f"{table} has to begin with a line of names, such as file,angle [deg]")
    if len(set(columns)) < len(columns):
        raise DataError(f"{table} has two columns of one name: {', '.join(columns)}")
    names, targets, seen = Names(), np.empty((len(rows) - 1, len(columns)), np.float32), set[str]()
    for number, (row, values) in enumerate(zip(rows[1:], targets, strict=True), start=2):
        if len(row) != 1 + len(columns) or not row[0]:
            raise DataError(f"{table}, line {number}: not a file and {counted(columns)}")
        if row[0] in seen:
            raise DataError(f"{table}, line {number}: {row[0]} has been named before")
        if Path(row[0]).anchor or ".." in Path(row[0]).parts:
            raise DataError(f"{table}, line {number}: {row[0]} does not lie below {root}")
        seen.add(row[0])
        names.extend(row[:1])
        values[:] = [as_number(cell, f"{table}, line {number}") for cell in row[1:]]
    if not len(targets):
        raise DataError(f"{table} names no image")
    return Tree(root, columns, targets, names, places=np.zeros(len(targets), int), folders=[""])


def as_number(cell: str, where: str) -> float:
    """The number that a cell of the table holds; raises DataError where that is none."""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        raise DataError(f"{where}: {cell!r} is no number, such as -3.5 or 1e-4")
    return value


def counted(classes: Sequence[str]) -> str:
    """How many numbers there are, in the words of every message about them."""
    return f"{len(classes):,} {'number' if len(classes) == 1 else 'numbers'} for each image"


def describe_targets(tree: Tree) -> list[str]:
    """The range, mean and deviation of each column."""
    lines = [
        f"{name}: {column.min():.4g} to {column.max():.4g}, mean {column.mean():.4g}, "
        f"deviation {column.std():.4g}"
        for name, column in zip(tree.classes, tree.targets.astype(float).T, strict=True)
    ]
    more = len(lines) - SHOWN
    return lines[:SHOWN] + ([f"and {more:,} more"] if more > 0 else [])


def check_rest(split: str, tree: Tree, left_out: dict[int, str]) -> None:
    """Refuse a split without any image, and a column that is the same for all to train on."""
    left = np.delete(tree.targets, list(left_out), axis=0)
    if not len(left):
        raise DataError(f"no readable image is left for {split}")
    if split == "train" and not np.ptp(left, axis=0).all():
        name = tree.classes[int(np.ptp(left, axis=0).argmin())]
        raise DataError(f"{name!r} is the same number for each readable image to train on")


def complete(path: Path, tree: Tree) -> None:
    """Add the table to a folder of images."""
    path.mkdir(parents=True, exist_ok=True)
    with (path / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["file", *tree.classes])
        for index, row in enumerate(tree.targets):
            writer.writerow([tree.names[index], *map(str, row)])  # the shortest that is the same


def checked(targets: np.ndarray, classes: list[str], where: str) -> np.ndarray:
    """The targets of a file as the task takes them, (N, columns) float32; raises DataError."""
    if targets.dtype.kind not in "fiu" or targets.shape[1:] != (len(classes),):
        raise DataError(f"{where} is {targets.dtype} {targets.shape}, not {counted(classes)}")
    for index, column in np.argwhere(~np.isfinite(targets))[:1].tolist():
        raise DataError(f"{where}[{index}, {column}] is {targets[index, column]}, no finite number")
    return targets.astype(np.float32)


def draw_demo(folder: Path) -> Path:
    """Scikit-learn's digits on noise, turned: the target is the angle, counterclockwise.

    No scan is in both splits.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise UserError("the demo needs scikit-learn: pip install -e '.[dev]'") from None
    scans = (load_digits().images * 255 / 16).round().astype(np.uint8)  # (1797, 8, 8)
    random = np.random.default_rng(0)
    order = random.permutation(len(scans))
    for split, own in (("train", order[360:]), ("val", order[:360])):
        root, names = folder / split, Names()
        root.mkdir(parents=True)
        angles = random.uniform(-45, 45, len(own)).round(1)
        for number, (scan_number, angle) in enumerate(zip(own, angles.tolist(), strict=True)):
            large = Image.fromarray(scans[scan_number]).resize((12, 12), Image.Resampling.BICUBIC)
            turned = large.rotate(angle, Image.Resampling.BICUBIC, expand=True)
            image = random.integers(0, 40, (24, 24))
            left, top = random.integers(0, 25 - np.array(turned.size))
            image[top : top + turned.height, left : left + turned.width] += np.asarray(turned)
            names.extend([f"{number:04d}.png"])
            Image.fromarray(image.clip(max=255).astype(np.uint8)).save(root / f"{number:04d}.png")
        targets, places = angles.astype(np.float32)[:, None], np.zeros(len(own), int)
        complete(root, Tree(root, ["angle [deg]"], targets, names, places, [""]))
    return folder
