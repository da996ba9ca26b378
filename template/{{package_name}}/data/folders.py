"""Class folders of image files: ROOT/<class>/<image>, in torchvision's order."""

import hashlib
import os
import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from ..base.errors import DataError
from .images import EXTENSIONS

# in a class folder without images: this is meant, as where a class is too small to be split
EMPTY_MARK = ".empty"
ENCODING, ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


class Names:
    """A growing list of strings, kept in one buffer that worker processes can share.

    A plain list would be copied into each worker bit by bit, as reading it counts references.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("q", [0])

    def extend(self, names: Iterable[str]) -> None:
        """Add these at the end."""
        for name in names:
            self._bytes += os.fsencode(name)
            self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: int) -> str:
        name = self._bytes[self._ends[index] : self._ends[index + 1]]
        return name.decode(ENCODING, ERRORS)  # as os.fsdecode does it, which takes twice as long


@dataclass(frozen=True)
class Tree:
    """N image files below class folders, class by class."""

    root: Path
    classes: list[str]
    labels: np.ndarray  # (N,) int64
    names: Names  # N of them, each relative to the folder of its class
    folders: list[str]  # of the classes, relative to the root

    def __len__(self) -> int:
        return len(self.labels)

    def path(self, index: int) -> str:
        """Where image `index` lies."""
        return self.paths(np.array([index]))[0]

    def paths(self, indices: np.ndarray) -> list[str]:
        """Where these images lie: as text, since pathlib takes as long as a small image."""
        root, labels = f"{self.root}{os.sep}", self.labels[indices].tolist()
        return [
            f"{root}{self.folders[label]}{os.sep}{self.names[index]}"
            for index, label in zip(indices.tolist(), labels, strict=True)
        ]

    def select(self, indices: np.ndarray) -> "Tree":
        """The same classes with these images only."""
        names = Names()
        names.extend(self.names[index] for index in indices)
        return Tree(self.root, self.classes, self.labels[indices], names, self.folders)


def scan(root: Path, *, leaves: bool = False) -> Tree:
    """Find the images: classes sorted, files sorted within each, at any depth below it.

    With `leaves` each folder that has images of its own is a class, named by its path: animals-cat.
    Hidden files and folders are passed over. Raises DataError for a missing or unreadable folder,
    for one without class folders, for a class without images, and for two of one name.
    """
    names, counts = Names(), []
    try:
        with os.scandir(root) as entries:
            folders = sorted(e.name for e in entries if e.is_dir() and e.name[0] != ".")
        if leaves:
            folders = _leaves(root, folders)
        for folder in folders:
            images = list(_walk(root / folder, deep=not leaves))
            if not images and not (root / folder / EMPTY_MARK).exists():
                raise DataError(f"{root / folder} has no image ({' '.join(EXTENSIONS)})")
            names.extend(images)
            counts.append(len(images))
    except OSError as error:
        raise DataError(f"{error.filename}: {error.strerror}") from error
    if not names:
        raise DataError(f"{root} has no class folders with images: <class>/<image> is the layout")
    classes = [folder.replace(os.sep, "-") for folder in folders]
    return Tree(root, classes, np.repeat(np.arange(len(classes)), counts), names, folders)


def _leaves(root: Path, folders: list[str]) -> list[str]:
    """The folders at any depth below these that have images of their own, by their classes."""
    found: dict[str, str] = {}
    for top in folders:
        for folder, images in _folders(root / top):
            if images or os.path.exists(os.path.join(folder, EMPTY_MARK)):
                path = os.path.relpath(folder, root)
                name = path.replace(os.sep, "-")
                if name in found:
                    raise DataError(
                        f"{root}: {found[name]} and {path} would both be the class {name!r} under "
                        "--leaves; rename one of them"
                    )
                found[name] = path
    return [found[name] for name in sorted(found)]


def find_splits(
    source: Path, val_fraction: float, seed: int, *, leaves: bool = False
) -> tuple[Tree, Tree]:
    """The images of train and val: as `source` has them apart, or else split here.

    Raises DataError where one of the two is missing, or their classes differ.
    """
    given = [name for name in ("train", "val") if _has_folders(source / name)]
    if not given:
        train, val = split(scan(source, leaves=leaves), val_fraction, seed)
        if not len(val):
            raise DataError(f"no class in {source} has two images, so none is left for val")
        return train, val
    if len(given) == 1:
        raise DataError(
            f"{source} has {given[0]}/<class> but not the other of train and val: add it, "
            f"or split this one with --source {source / given[0]}"
        )
    train, val = (scan(source / name, leaves=leaves) for name in given)
    if train.classes != val.classes:
        odd = sorted(set(train.classes) ^ set(val.classes))
        more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
        raise DataError(
            f"{train.root} and {val.root} have different classes: only one of them has "
            + ", ".join(odd[:5])
            + more
        )
    return train, val


def split(tree: Tree, fraction: float, seed: int) -> tuple[Tree, Tree]:
    """Part the images into train and val, class by class, by (seed, class, position) alone.

    Each class sends about `fraction` of its images to val; at least one, but never its last.
    """
    in_val = np.zeros(len(tree), bool)
    first = 0
    counts = np.bincount(tree.labels, minlength=len(tree.classes)).tolist()
    for name, count in zip(tree.classes, counts, strict=True):
        keys = [_draw(seed, name, position) for position in range(count)]
        shuffled = sorted(range(count), key=keys.__getitem__)
        wanted = min(max(1, round(fraction * count)), max(0, count - 1))
        in_val[[first + position for position in shuffled[:wanted]]] = True
        first += count
    return tree.select(np.flatnonzero(~in_val)), tree.select(np.flatnonzero(in_val))


def _draw(seed: int, name: str, position: int) -> bytes:
    """A random key that stays the same in every version of Python and numpy."""
    return hashlib.sha256(f"{seed}/{position}/".encode() + os.fsencode(name)).digest()


def _has_folders(folder: Path) -> bool:
    """Whether this is a folder of class folders; one class may be called "train" too."""
    return folder.is_dir() and any(path.is_dir() for path in folder.iterdir())


def _walk(top: Path, *, deep: bool = True) -> Iterator[str]:
    """The images below `top`, as paths relative to it; only those right in it unless `deep`."""
    for folder, images in _folders(top):  # by folder first, then by name, as torchvision does
        inner = os.path.relpath(folder, top)
        if deep or inner == os.curdir:
            yield from (os.path.normpath(os.path.join(inner, name)) for name in images)


def _folders(top: Path) -> list[tuple[str, list[str]]]:
    """The folders at `top` and below it, sorted, with the names of the images right in each."""
    found = []
    for folder, subfolders, files in os.walk(top, onerror=_raise, followlinks=True):
        subfolders[:] = [name for name in subfolders if name[0] != "."]
        images = [f for f in files if f[0] != "." and f.lower().endswith(EXTENSIONS)]
        found.append((folder, sorted(images)))
    return sorted(found)


def _raise(error: OSError) -> NoReturn:
    raise error  # os.walk would pass over a folder that it may not read
