"""Find the images in ROOT/<class>/<image>, in the order of torchvision's ImageFolder."""

import hashlib
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from ..base.errors import DataError
from .images import EXTENSIONS

# Train, training, seg_train, train-images, ...: the word and what usually stands around it
SPLIT = re.compile(r"(?:.*[\W\d_])?(train|val|test)(?:ing|id|idation|set)?(?:[\W\d_].*)?", re.I)
# trainA, fold3, dev, ..., but not valley or tree
SIMILAR = re.compile(r"(?:train|val|test|eval|dev|fold|split|tr|te)(?![a-z]{2})", re.I)


@dataclass(frozen=True)
class ImageTree:
    """N image files and the target of each. Edit `scan` for other targets than classes."""

    root: Path
    classes: list[str]
    targets: np.ndarray  # (N, ...)
    paths: np.ndarray  # (N,) bytes, relative to root: one buffer, which workers share
    note: str  # how many files are no images by their suffix; empty if there are none

    def __len__(self) -> int:
        return len(self.paths)

    def path(self, index: int) -> str:
        return os.path.join(self.root, os.fsdecode(self.paths[index]))

    def select(self, indices: np.ndarray) -> Self:
        return replace(self, targets=self.targets[indices], paths=self.paths[indices])


def scan(root: Path) -> ImageTree:
    """Find the images: classes sorted, then files by folder and name.

    Raises DataError, or OSError for a folder that cannot be read.
    """
    names, others = subfolders(root), Counter[str]()
    found = [images_below(root, name, others) for name in names]
    if not any(found):
        raise DataError(f"{root} has no images as <class>/<image> ({' '.join(EXTENSIONS)})")
    targets = np.repeat(np.arange(len(names)), [len(paths) for paths in found])
    files = np.array([os.fsencode(path) for paths in found for path in paths])
    kinds = ", ".join(f"{count:,} {suffix}" for suffix, count in others.most_common(5))
    note = kinds and f"{root}: {others.total():,} files are not read ({kinds})"
    return ImageTree(root, names, targets, files, note)


def subfolders(folder: Path) -> list[str]:
    """The names of the folders in a folder, sorted; hidden ones are skipped."""
    return sorted(e.name for e in os.scandir(folder) if e.is_dir() and e.name[0] != ".")


def images_below(root: Path, name: str, others: Counter[str]) -> list[str]:
    """The images at any depth below a class folder, as paths relative to the root.

    Counts the suffixes of other files. Hidden files and folders are skipped.
    """
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


def find_splits(source: Path, val_fraction: float, seed: int) -> dict[str, ImageTree]:
    """Train, val and, if the source has it, test; prints how they were found.

    They are folders with these names or usual ones like them, or else <class>/<image> split by
    class. Raises DataError for what only looks like <split>/<class>/<image>.
    """
    folders, notes = split_folders(source)
    trees = {name: scan(path) for name, path in (folders or {"train": source}).items()}
    notes += [tree.note for tree in trees.values() if tree.note]
    train = trees["train"]
    for tree in trees.values():
        if odd := sorted(set(tree.classes) ^ set(train.classes)):
            raise DataError(
                f"{train.root} and {tree.root} have different classes: only one of them has "
                f"{', '.join(odd[:5])}"
            )
    if "val" not in trees:
        trees |= split(train, val_fraction, seed)
        if folders:
            notes.append(f"{source} has no val: {val_fraction:.0%} of train become val")
    print("".join(f"{note}\n" for note in notes), end="")
    return trees


def split_folders(source: Path) -> tuple[dict[str, Path], list[str]]:
    """The folders of train, val and test, if the source has them; and lines about its folders."""
    names, folders, notes, fits = subfolders(source), dict[str, Path](), list[str](), True
    for name in names:
        path, found = source / name, SPLIT.fullmatch(name)
        while (inner := subfolders(path)) == [path.name]:  # unpacked as seg_train/seg_train/<class>
            path = path / path.name
        fits &= len(inner) < 2 or not all(map(SPLIT.fullmatch, inner))  # <class>/<split>/<image>
        if found and inner:
            split = found[1].lower()
            fits &= split not in folders
            folders[split] = path
            notes += [f"{path} is taken as {split}"] if name != split else []
        elif not found:
            notes.append(f"not read: {path}")
    if folders:
        fits &= "train" in folders and len(folders) > 1
    elif len(names) > 1:
        fits &= not all(SPLIT.fullmatch(name) or SIMILAR.match(name) for name in names)
    if not fits:
        raise DataError(
            f"{source} has {', '.join(names[:5])}, which look like splits: the layout is "
            "{train,val,test}/<class>/<image>, test or val may be missing; or <class>/<image>, of "
            "which some become val. To split one of the folders, give it as --source"
        )
    return folders, notes if folders else []


def split(tree: ImageTree, fraction: float, seed: int) -> dict[str, ImageTree]:
    """Split by class: about `fraction` of each, but never its last image, becomes val.

    Which ones follows from the seed, the class and the position alone.
    """
    members = defaultdict(list)
    for index, path in enumerate(tree.paths):
        members[os.fsdecode(path).split(os.sep)[0]].append(index)
    in_val = np.zeros(len(tree), bool)
    for name, indices in members.items():
        texts = [f"{seed}/{position}/{name}" for position in range(len(indices))]
        keys = [hashlib.sha256(os.fsencode(text)).digest() for text in texts]
        count = min(max(1, round(fraction * len(indices))), len(indices) - 1)
        in_val[np.array(indices)[np.argsort(keys)[:count]]] = True
    if not in_val.any():
        raise DataError(f"no class in {tree.root} has two images, so none is left for val")
    return {"train": tree.select(~in_val), "val": tree.select(in_val)}
