"""Image files in tar shards, in WebDataset's layout: DATA/train-*.tar, DATA/val-*.tar.

In a shard, KEY.jpg (or another image) and KEY.cls, its class, have one key; or KEY.json has the
class as "label". It is a number, or a name. DATA/classes.txt, if there is one, names the numbers.
Where each file lies is read from the shards' headers once, and kept beside them in an index: that
gives random access, so each sample comes once per epoch, whatever the workers.
"""

import io
import json
import os
import sys
import tarfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..base import distributed
from ..base.errors import DataError
from ..base.files import write_atomic
from .folder import ImageTree
from .images import EXTENSIONS, Crop, Size, choose_size, decode, fit

PATTERN = "{}-*.tar"  # the files of a split
SHARD_BYTES = 1 << 28


class Reader:
    """Random access to the N samples of a split.

    Another format needs `classes`, `targets` (N, ...), `shape` and `dtype` of a sample, `size`,
    `__len__`, `read` and `where`.
    """

    def __init__(self, path: Path, size: Size | None = None) -> None:
        """Images get `size` (height, width), by default their own: see `choose_size`."""
        self.shards, labels, self.places = load_index(path)
        self.classes = read_classes(path)
        numbers = {name: number for number, name in enumerate(self.classes)}
        if all(map(str.isdecimal, np.unique(labels).tolist())):
            numbers = {str(number): number for number in range(len(self.classes))}
        try:
            self.targets = np.array([numbers[label] for label in labels.tolist()])
        except KeyError as error:
            raise DataError(
                f"{path}-*.tar has the class {error}, which does not fit the "
                f"{len(self.classes)} classes of classes.txt or of the training data"
            ) from error
        if size is None:
            size = choose_size(lambda index: io.BytesIO(self._content(index)), len(self))
        first = self._decode(0, size or (0, 0))
        self.size: Size = size or first.shape[:2]
        first = fit(first, *self.size)
        self.shape, self.dtype = first.shape, first.dtype

    def __len__(self) -> int:
        return len(self.places)

    def where(self, index: int) -> str:
        """The place of a sample, for messages."""
        shard, start, _ = self.places[index].tolist()
        return f"{self.shards[shard]}: the image at byte {start}"

    def _content(self, index: int) -> bytes:
        shard, start, length = self.places[index].tolist()
        with open(self.shards[shard], "rb") as file:  # nothing stays open: safe in any worker
            file.seek(start)
            return file.read(length)

    def _decode(self, index: int, at_least: Size) -> np.ndarray:
        try:
            return decode(self._content(index), at_least)
        except (OSError, DataError) as error:
            raise DataError(f"{self.where(index)}: {error}") from error

    def read(self, indices: np.ndarray, crop: Crop | None = None) -> np.ndarray:
        """Images (B, H, W, C); raises DataError naming one. `crop` replaces the center crop."""
        size = self.size
        if crop is None:
            return np.stack([fit(self._decode(i, size), *size) for i in indices.tolist()])
        return np.stack([crop(self._decode(i, (0, 0)), size, i) for i in indices.tolist()])


def read_classes(path: Path) -> list[str]:
    """The names in classes.txt, or the labels of the training data."""
    with suppress(FileNotFoundError):
        return (path.parent / "classes.txt").read_text(encoding="utf-8").splitlines()
    training = path.with_name("train")
    _, labels, _ = load_index(training if any(path.parent.glob("train-*.tar")) else path)
    names = np.unique(labels).tolist()
    if all(map(str.isdecimal, names)):
        return [str(number) for number in range(max(map(int, names)) + 1)]
    return names


def load_index(path: Path) -> tuple[list[Path], np.ndarray, np.ndarray]:
    """The shards; the label (N,) of each image as text; its shard, start and length (N, 3)."""
    if (path.parent / ".partial" / "old").exists():  # some shards may be missing
        raise DataError(f"{path.parent} is half replaced: run `prepare` again, with --force")
    shards = sorted(path.parent.glob(f"{path.name}-*.tar"))
    if not shards:
        raise DataError(
            f"{path}-*.tar not found (compressed shards are not read): run `prepare --demo`, or "
            "`prepare --source DIR`"
        )
    index = path.with_name(f".{path.name}-index.npz")
    stamp = repr([(shard.name, shard.stat().st_size, shard.stat().st_mtime_ns) for shard in shards])
    with suppress(Exception), np.load(index) as known:  # a corrupt one is written anew
        if str(known["stamp"]) == stamp:
            return shards, known["labels"], known["places"]
    if distributed.RANK == 0 and len(shards) > 1:
        print(f"reading the headers of {len(shards)} shards", file=sys.stderr)
    labels, places = [], []
    for number, shard in enumerate(shards):
        for label, start, length in scan(shard):
            labels.append(label)
            places.append((number, start, length))
    content = io.BytesIO()
    arrays = np.array(labels), np.array(places, int).reshape(-1, 3)
    np.savez(content, stamp=stamp, labels=arrays[0], places=arrays[1])
    if distributed.RANK == 0:
        with suppress(OSError):  # a read-only disk: the next start reads the headers again
            write_atomic(index, content.getbuffer())
    return shards, *arrays


def scan(shard: Path) -> list[tuple[str, int, int]]:
    """The label, start and length of each image of a shard. Raises DataError."""
    images: dict[str, tuple[int, int]] = {}
    labels: dict[str, str] = {}
    try:
        with tarfile.open(shard, "r:") as archive:
            for member in archive:
                folder, name = os.path.split(member.name)
                key, _, ending = name.partition(".")
                key, ending = os.path.join(folder, key), f".{ending.lower()}"
                if ending in EXTENSIONS and member.isreg():
                    if key in images:
                        raise DataError(f"{shard}: {key} has two images")
                    images[key] = member.offset_data, member.size
                elif ending in (".cls", ".json") and (file := archive.extractfile(member)):
                    content = file.read().decode()
                    if ending == ".json":
                        content = str(json.loads(content).get("label", ""))
                    if text := content.strip():
                        labels[key] = str(int(text)) if text.isdecimal() else text
            archive.fileobj.seek(archive.offset)
            if archive.fileobj.read(512) != bytes(512):  # the block that ends a tar file
                raise tarfile.ReadError(f"no end after {archive.offset:,} bytes")
    except (OSError, ValueError, AttributeError, tarfile.TarError) as error:
        raise DataError(f"{shard} is not a complete, uncompressed tar file: {error}") from error
    for key in sorted(images.keys() ^ labels.keys())[:1]:
        lacks = "label, in .cls or under label in .json" if key in images else "image"
        raise DataError(f"{shard}: {key} has no {lacks}")
    return [(labels[key], *images[key]) for key in images]


def write(path: Path, tree: ImageTree) -> None:
    """Write a split into shards of about SHARD_BYTES."""
    names = "".join(f"{name}\n" for name in tree.classes)
    path.with_name("classes.txt").write_text(names, encoding="utf-8")
    sizes = [os.path.getsize(tree.path(index)) + 2048 for index in range(len(tree))]  # and headers
    shards = np.cumsum(sizes) // SHARD_BYTES
    for number, shard in enumerate(np.unique(shards)):
        with tarfile.open(path.with_name(f"{path.name}-{number:06d}.tar"), "w") as archive:
            for index in np.flatnonzero(shards == shard).tolist():
                image, label = Path(tree.path(index)), b"%d" % tree.targets[index]
                for ending, content in ((image.suffix, image.read_bytes()), (".cls", label)):
                    member = tarfile.TarInfo(f"{index:08d}{ending.lower()}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
