"""Tar files for the tests, written by Python's own library; and a toy that trains on them."""

import copy
import io
import tarfile
from pathlib import Path

import numpy as np
from pngs import as_png

from toy.data.shards import Shards

Members = list[tuple[str, bytes]]


def write_tar(path: Path, members: Members, *, format: int = tarfile.USTAR_FORMAT) -> Path:
    """Write a tar file of these names and contents."""
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w", format=format) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


class ToyShards(Shards):
    """Images of two pixels as the toy's six numbers, and two targets for the class of each."""

    def __init__(self, pattern: Path, _: tuple[int, ...] | None = None) -> None:
        super().__init__(pattern, (1, 2))
        self.shape, self.dtype = (6,), np.int16  # type: ignore[assignment]
        self.targets = np.eye(2, dtype=np.float32)[self.targets]

    def read(self, indices: np.ndarray) -> np.ndarray:
        images = copy.copy(self)
        images.shape = (1, 2, 3)
        return Shards.read(images, indices).reshape(-1, 6).astype(np.int16)


def draw_shards(folder: Path, *, seed: int = 0, bad: int | None = None) -> Path:
    """Tar files for the toy: 48 samples to train on in six of them, 15 to validate in two."""
    random = np.random.default_rng(seed)
    for split, count, files in (("train", 48, 6), ("val", 15, 2)):
        for number, indices in enumerate(np.array_split(np.arange(count), files)):
            members: Members = []
            for index in indices.tolist():
                png = as_png(random.integers(1, 100, (1, 2, 3), dtype=np.uint8))
                png = png[:40] if (split, index) == ("train", bad) else png
                members += [(f"{index}.png", png), (f"{index}.cls", b"%d" % (index % 2))]
            write_tar(folder / f"{split}-{number}.tar", members)
    return folder
