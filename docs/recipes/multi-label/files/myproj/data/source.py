"""What `prepare` reads, and what is to be learned of each image: a set of labels.

ROOT/labels.csv has a line for each image: its file, relative to ROOT, and its labels with `;`
between them, none or many.

    file,labels
    street/1.jpg,car;traffic light
    street/2.jpg,
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from ..base.errors import DataError, UserError
from . import folders
from .folders import Names, Tree

TABLE = "labels.csv"
HEADER = ["file", "labels"]
SAMPLE = "image"  # what a sample is called in messages
SHOWN = 5  # names in a line


def find_splits(
    source: Path, val_fraction: float, seed: int, *, leaves: bool = False
) -> tuple[Tree, Tree]:
    """The images of train and val: as `source` has them apart, or else split by chance."""
    if leaves:
        raise DataError(f"--leaves is for class folders: here {TABLE} names the labels")

    def has_table(folder: Path) -> bool:
        return (folder / TABLE).is_file()

    return folders.find_splits(source, scan, has_table, TABLE, val_fraction, seed)


def scan(root: Path) -> Tree:
    """Read the table: images in its order, labels sorted.

    Targets are (N, labels) float32 of 0 and 1. Raises DataError, naming the line, where the table
    is not as it should be.
    """
    table = root / TABLE
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{table}: {reason}") from error
    if not rows or rows[0] != HEADER:
        raise DataError(f"{table} has to begin with the line {','.join(HEADER)}")
    names, sets, seen = Names(), [], set[str]()
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(HEADER) or not row[0]:
            raise DataError(f"{table}, line {number}: not a file and its labels, as a.jpg,cat;dog")
        name, labels = row
        if name in seen:
            raise DataError(f"{table}, line {number}: {name} has been named before")
        if Path(name).anchor or ".." in Path(name).parts:
            raise DataError(f"{table}, line {number}: {name} does not lie below {root}")
        seen.add(name)
        names.extend([name])
        sets.append({label.strip() for label in labels.split(";") if label.strip()})
    classes = sorted(set().union(*sets))
    if not classes:
        raise DataError(f"{table} names no label")
    column = {label: place for place, label in enumerate(classes)}
    targets = np.zeros((len(sets), len(classes)), np.float32)
    for target, labels_of in zip(targets, sets, strict=True):
        target[[column[label] for label in labels_of]] = 1
    return Tree(root, classes, targets, names, places=np.zeros(len(sets), int), folders=[""])


def describe_targets(tree: Tree) -> list[str]:
    """How many labels there are, and how many an image has."""
    more = f" and {len(tree.classes) - SHOWN:,} more" if len(tree.classes) > SHOWN else ""
    shown = ", ".join(tree.classes[:SHOWN])
    each = tree.targets.sum(axis=1)
    return [
        f"{counted(tree.classes)}: {shown}{more}; {each.mean():.1f} per image on average, "
        f"none for {int((each == 0).sum()):,} images"
    ]


def counted(classes: Sequence[str]) -> str:
    """How many there are, in the words of every message about them."""
    return "1 label" if len(classes) == 1 else f"{len(classes):,} labels"


def check_rest(split: str, tree: Tree, left_out: dict[int, str]) -> None:
    """Refuse a label without a training image, and a split without any image."""
    left = np.delete(tree.targets, list(left_out), axis=0)
    if not len(left):
        raise DataError(f"no readable image is left for {split}")
    if split == "train" and not left.any(axis=0).all():
        name = tree.classes[int(left.any(axis=0).argmin())]
        raise DataError(f"label {name!r} has no readable image to train on")


def complete(path: Path, tree: Tree) -> None:
    """Add the table to a folder of images."""
    path.mkdir(parents=True, exist_ok=True)
    with (path / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for index, row in enumerate(tree.targets.astype(bool)):
            writer.writerow([tree.names[index], ";".join(np.array(tree.classes)[row])])


def checked(targets: np.ndarray, classes: list[str], where: str) -> np.ndarray:
    """The targets of a file as the task takes them, (N, labels) float32; raises DataError."""
    if targets.shape[1:] != (len(classes),) or not np.isin(targets, (0, 1)).all():
        raise DataError(
            f"{where} is {targets.dtype} {targets.shape}, not a 0 or 1 for each image and each of "
            f"{len(classes)} labels"
        )
    return targets.astype(np.float32)


def draw_demo(folder: Path) -> Path:
    """Images of up to four of scikit-learn's digits; the labels are which ones are there.

    No scan is in both splits.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise UserError("the demo needs scikit-learn: pip install -e '.[dev]'") from None
    digits = load_digits()
    scans = (digits.images * 255 / 16).round().astype(np.uint8)  # (1797, 8, 8)
    random = np.random.default_rng(0)
    order = random.permutation(len(scans))
    for split, own, count in (("train", order[360:], 1440), ("val", order[:360], 360)):
        root, names, targets = folder / split, Names(), np.zeros((count, 10), np.float32)
        root.mkdir(parents=True)
        for number in range(count):
            image = np.zeros((16, 16), np.uint8)
            for corner in np.flatnonzero(random.random(4) < 0.5):
                scan_number = random.choice(own)
                top, left = 8 * (corner // 2), 8 * (corner % 2)
                image[top : top + 8, left : left + 8] = scans[scan_number]
                targets[number, digits.target[scan_number]] = 1
            names.extend([f"{number:04d}.png"])
            Image.fromarray(image).save(root / f"{number:04d}.png")
        places, labels = np.zeros(count, int), [str(digit) for digit in range(10)]
        complete(root, Tree(root, labels, targets, names, places, [""]))
    return folder
