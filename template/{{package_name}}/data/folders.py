"""Files below folders, in torchvision's order, and how they are parted into train and val."""

import hashlib
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn, Self, TypeVar

import numpy as np

from ..base.errors import DataError
from .images import EXTENSIONS

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
    """N image files, folder by folder, and what is to be learned of each."""

    root: Path
    classes: list[str]
    targets: np.ndarray  # (N, ...)
    names: Names  # N of them, each relative to its folder
    places: np.ndarray  # (N,) int64: the folder of each
    folders: list[str]  # relative to the root, "" for itself

    def __len__(self) -> int:
        return len(self.places)

    def path(self, index: int) -> str:
        """Where image `index` lies."""
        return self.paths(np.array([index]))[0]

    def paths(self, indices: np.ndarray) -> list[str]:
        """Where these images lie: as text, since pathlib takes as long as a small image."""
        starts, places = self._starts, self.places[indices].tolist()
        return [
            f"{starts[place]}{self.names[index]}"
            for index, place in zip(indices.tolist(), places, strict=True)
        ]

    @cached_property
    def _starts(self) -> list[str]:
        """What the path of an image begins with, for each folder."""
        return [os.path.join(self.root, folder, "") for folder in self.folders]

    def select(self, indices: np.ndarray) -> Self:
        """The same folders and classes with these images only."""
        names = Names()
        names.extend(self.names[index] for index in indices)
        chosen = {"targets": self.targets[indices], "places": self.places[indices]}
        return replace(self, names=names, **chosen)


T = TypeVar("T", bound=Tree)


def find_splits(
    source: Path,
    scan: Callable[[Path], T],
    is_split: Callable[[Path], bool],
    layout: str,
    fraction: float,
    seed: int,
) -> tuple[T, T]:
    """The images of train and val: as `source` has them apart, or else split here.

    `layout` says in an error what a split is. Raises DataError where one of the two is missing, or
    their classes differ.
    """
    given = [name for name in ("train", "val") if is_split(source / name)]
    if not given:
        train, val = split(scan(source), fraction, seed)
        if not len(val):
            raise DataError(f"no folder in {source} has two samples, so none is left for val")
        return train, val
    if len(given) == 1:
        raise DataError(
            f"{source} has {given[0]}/{layout} but not the other of train and val: add it, "
            f"or split this one with --source {source / given[0]}"
        )
    train, val = (scan(source / name) for name in given)
    if train.classes != val.classes:
        odd = sorted(set(train.classes) ^ set(val.classes))
        more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
        only = f"only one of them has {', '.join(odd[:5])}{more}" if odd else "in another order"
        raise DataError(f"{train.root} and {val.root} have different classes: {only}")
    return train, val


def split(tree: T, fraction: float, seed: int) -> tuple[T, T]:
    """Part the images into train and val, folder by folder, by (seed, folder, position) alone.

    Each folder sends about `fraction` of its images to val; at least one, but never its last.
    """
    in_val = np.zeros(len(tree), bool)
    first = 0
    counts = np.bincount(tree.places, minlength=len(tree.folders)).tolist()
    for name, count in zip(tree.folders, counts, strict=True):
        keys = [_draw(seed, name, position) for position in range(count)]
        shuffled = sorted(range(count), key=keys.__getitem__)
        wanted = min(max(1, round(fraction * count)), max(0, count - 1))
        in_val[[first + position for position in shuffled[:wanted]]] = True
        first += count
    return tree.select(np.flatnonzero(~in_val)), tree.select(np.flatnonzero(in_val))


def _draw(seed: int, name: str, position: int) -> bytes:
    """A random key that stays the same in every version of Python and numpy."""
    return hashlib.sha256(f"{seed}/{position}/".encode() + os.fsencode(name)).digest()


def walk(top: Path, *, deep: bool = True) -> Iterator[str]:
    """The images below `top`, as paths relative to it; only those right in it unless `deep`."""
    for folder, images in folders_below(top):  # by folder first, then by name, as torchvision does
        inner = os.path.relpath(folder, top)
        if deep or inner == os.curdir:
            yield from (os.path.normpath(os.path.join(inner, name)) for name in images)


def folders_below(top: Path) -> list[tuple[str, list[str]]]:
    """The folders at `top` and below it, sorted, with the names of the images right in each.

    Hidden files and folders are passed over.
    """
    found = []
    for folder, subfolders, files in os.walk(top, onerror=_raise, followlinks=True):
        subfolders[:] = [name for name in subfolders if name[0] != "."]
        images = [f for f in files if f[0] != "." and f.lower().endswith(EXTENSIONS)]
        found.append((folder, sorted(images)))
    return sorted(found)


def _raise(error: OSError) -> NoReturn:
    raise error  # os.walk would pass over a folder that it may not read
