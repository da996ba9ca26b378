"""Images in tar files, DIR/train-*.tar and DIR/val-*.tar, in WebDataset's layout: for --shards.

The files are not unpacked: an index says where each image lies. So samples can be read in any
order, and the order, the shares of the processes and a resume are those of any other data.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from .images import decode, decode_into
from .shard_index import index_of, shards_at
from .subset import Samples, Subset

CLASSES = "classes.txt"  # beside the tar files: a name per line, in the order of the numbers


class Shards:
    """Random access to the N images of a split; see `storage.Reader` for what a reader has."""

    copies = False
    dtype = np.uint8

    def __init__(self, pattern: Path, size: tuple[int, ...] | None = None) -> None:
        """Open DIR/train-*.tar; raises DataError where the data cannot be used."""
        self._paths = shards_at(pattern)
        self._index = index_of(pattern, self._paths)
        if not len(self):
            raise DataError(f"{pattern}: there is no image in these files")
        self.shard = self._index.shard  # (N,) int64, ascending: the file of each sample
        self.classes, numbers = classes_of(pattern, self._index.names.tolist())
        self.targets = np.array(numbers, np.int64)[self._index.label]
        if size is not None and len(size) != 2:
            raise DataError(f"{pattern} holds images, and these have a height and a width")
        height, width = size or self._first_size(pattern)
        self.shape = height, width, 3

    def _first_size(self, pattern: Path) -> tuple[int, ...]:
        """Height and width of the first image that can be read."""
        for index in range(len(self)):
            with suppress(DataError):
                ((_, content),) = self._contents(np.array([index]))
                return decode(content).shape[:2]
        raise DataError(f"{pattern}: no image in these files can be read")

    def __len__(self) -> int:
        return len(self._index.shard)

    def where(self, index: int) -> str:
        """The file and the key of image `index`, for messages."""
        key = self._index.key[index].decode("utf-8", "replace")
        return f"{self._paths[self._index.shard[index]]}: {key}"

    def read(self, indices: np.ndarray) -> np.ndarray:
        """Images (B, H, W, 3) uint8, in the order of `indices`; raises DataError naming a place."""
        images = np.empty((len(indices), *self.shape), np.uint8)
        for place, content in self._contents(indices):
            try:
                decode_into(content, images[place])
            except DataError as error:
                raise DataError(f"{self.where(int(indices[place]))}: {error}") from error
        return images

    def _contents(self, indices: np.ndarray) -> Iterator[tuple[int, bytes]]:
        """Yield a place in `indices` and the content of its image: file by file, forward in each.

        The files are opened for each batch, as those in folders are; there may be thousands.
        """
        index = self._index
        places = np.argsort(indices, kind="stable").tolist()
        for shard, of_file in groupby(places, lambda place: index.shard[indices[place]]):
            path = self._paths[shard]
            try:
                with path.open("rb") as file:
                    for place in of_file:
                        size = int(index.size[indices[place]])
                        file.seek(int(index.offset[indices[place]]))
                        content = file.read(size)
                        if len(content) < size:
                            raise DataError(f"{self.where(int(indices[place]))} is cut short")
                        yield place, content
            except OSError as error:
                raise DataError(f"{path}: {error.strerror}") from error


def files_of(reader: Samples) -> np.ndarray:
    """The number of the file that each sample is in, (N,) int64, also of a part of the samples."""
    if isinstance(reader, Subset):
        return files_of(reader.reader)[reader.indices]
    assert isinstance(reader, Shards)
    return reader.shard


def numbers_first(name: str) -> tuple[int, str]:
    """A key that sorts numbers, written without leading zeros, by value, and names after them."""
    return (len(name), name) if name.isdecimal() else (sys.maxsize, name)


def classes_of(pattern: Path, names: list[str]) -> tuple[list[str], list[int]]:
    """The classes, and which of them each of these labels means.

    Where there is a list of the classes, a whole number is a place in it, from 0, and anything else
    a name in it. Otherwise the labels are the classes: numbers in their order, before names.
    """
    path = pattern.with_name(CLASSES)
    try:
        listed = path.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        classes = sorted(names, key=numbers_first)
        known = {name: number for number, name in enumerate(classes)}
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    else:
        classes = listed.removesuffix("\n").split("\n")
        known = {name: number for number, name in enumerate(classes)}
        known |= {str(number): number for number in range(len(classes))}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise DataError(
            f"{pattern}: the label {unknown[0]} is no line of {path}, nor the number of one, from 0"
        )
    return classes, [known[name] for name in names]
