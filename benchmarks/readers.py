"""How fast are the readers: against the bare limit of each, and against reading item by item.

    python benchmarks/readers.py [--rounds 5] [--size 32 224]

The same drawn images in every format, read in the same shuffled order, in one process on one
thread. Writes its section of benchmarks/README.md.
"""

import argparse
import importlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import lmdb
import numpy as np
import torch
from PIL import Image
from timing import ENVIRONMENT, write_section
from torch.utils.data import default_collate

FORMATS = ("imagefolder", "hdf5", "lmdb")
COUNT = {32: 20_000, 224: 2_000}  # images: they fit into the memory of any machine
BATCH = {32: 256, 224: 64}
MEAN, STD = torch.tensor([0.5, 0.5, 0.5]).view(3, 1, 1), torch.tensor([0.25] * 3).view(3, 1, 1)

Read = Callable[[np.ndarray], Any]


@dataclass
class Way:
    """A way to read batches, and what it took, in images per second."""

    title: str
    read: Read
    limit: str = ""
    """The way that this one cannot beat."""
    speeds: list[float] = field(default_factory=list)

    @property
    def speed(self) -> float:
        return statistics.median(self.speeds)


def draw(folder: Path, size: int, count: int) -> None:
    """JPEGs as cameras make them: smooth, with some noise, in ten classes."""
    random = np.random.default_rng(0)
    for number in range(count):
        coarse = random.integers(0, 256, (6, 6, 3), dtype=np.uint8)
        smooth = Image.fromarray(coarse).resize((size, size), Image.Resampling.BICUBIC)
        noise = random.normal(0, 6, (size, size, 3))
        pixels = np.clip(np.asarray(smooth) + noise, 0, 255).astype(np.uint8)
        place = folder / f"class{number % 10}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(place / f"{number:06}.jpg", quality=90)


def project_of(scratch: Path, data_format: str, size: int) -> Any:
    """A generated project with the drawn images: its reader of the training data."""
    name = f"bench{data_format}{size}"
    line = ["-m", "torchgen_cli", "new", str(scratch / name), "--defaults", "--no-git"]
    run(scratch, *line, "--project-name", name, "--data-format", data_format)
    source = str(scratch / f"images{size}")
    run(scratch / name, "-m", f"{name}.prepare", "--source", source, "--val-fraction", "0.1")
    sys.path.insert(0, str(scratch / name))
    storage = importlib.import_module(f"{name}.storage")
    return storage.Reader(storage.split_path(scratch / name / "data", "train"))


def run(folder: Path, *line: str) -> None:
    null = subprocess.DEVNULL
    subprocess.run(
        [sys.executable, *line], cwd=folder, env=ENVIRONMENT, check=True, stdin=null, stdout=null
    )


def one_by_one(item: Callable[[int], np.ndarray]) -> Read:
    """What many scripts do: decode, convert, normalise each image, then collate."""

    def read(indices: np.ndarray) -> Any:
        return default_collate(
            [
                (torch.from_numpy(item(index)).permute(2, 0, 1).float().div(255) - MEAN) / STD
                for index in indices.tolist()
            ]
        )

    return read


def ways(scratch: Path, size: int) -> Iterator[Way]:
    """All ways to read the training images of one size."""
    readers = {name: project_of(scratch, name, size) for name in FORMATS}
    everything = readers["hdf5"].read(np.arange(len(readers["hdf5"])))
    copy = np.empty((BATCH[size], size, size, 3), np.uint8)

    def plain_copy(indices: np.ndarray) -> None:
        first = indices[0] % (len(everything) - len(indices))
        np.copyto(copy[: len(indices)], everything[first : first + len(indices)])

    yield Way("a plain copy of the bytes", plain_copy)
    for name in ("hdf5", "lmdb"):
        yield Way(f"{name}: ours", readers[name].read, "a plain copy of the bytes")
    pixels = h5py.File(scratch / f"benchhdf5{size}" / "data" / "train.h5")["images"]
    yield Way("hdf5: item by item", one_by_one(lambda index: pixels[index]), "hdf5: ours")
    data = scratch / f"benchlmdb{size}" / "data"
    path = shutil.copy(data / "train.lmdb", data / "again.lmdb")  # LMDB opens a file but once
    transaction = lmdb.open(str(path), subdir=False, lock=False, readonly=True).begin()

    def record(index: int) -> np.ndarray:
        found = transaction.get(b"%010d" % index) or b""
        return np.frombuffer(found, np.uint8).reshape(size, size, 3).copy()

    yield Way("lmdb: item by item", one_by_one(record), "lmdb: ours")
    folder = readers["imagefolder"]
    files = [folder.where(index) for index in range(len(folder))]
    yield Way("Pillow alone, decoding", lambda i: [decode(files[k]) for k in i.tolist()])
    try:
        from simplejpeg import decode_jpeg  # libjpeg-turbo and nothing around it
    except ImportError:
        print("without simplejpeg, the limit of JPEG is Pillow", file=sys.stderr)
        limit = "Pillow alone, decoding"
    else:
        limit = "libjpeg-turbo alone, decoding"
        yield Way(limit, lambda i: [decode_jpeg(Path(files[k]).read_bytes()) for k in i.tolist()])
    yield Way("imagefolder: ours", folder.read, limit)
    yield Way(
        "imagefolder: item by item", one_by_one(lambda k: decode(files[k])), "imagefolder: ours"
    )


def decode(file: str) -> np.ndarray:
    with Image.open(file) as image:
        return np.array(image.convert("RGB"))


def measure(all_ways: list[Way], size: int, rounds: int) -> None:
    """Read shuffled batches, way after way, for half a second each round."""
    samples = COUNT[size] * 9 // 10
    random = np.random.default_rng(1)
    for number in range(rounds + 1):  # the first only warms the caches
        for way in all_ways:
            order, done, at = random.permutation(samples), 0, 0
            began = time.perf_counter()
            while time.perf_counter() - began < 0.5:
                indices = order[at : at + BATCH[size]]
                way.read(indices)
                done += len(indices)
                at = (at + BATCH[size]) % (samples - BATCH[size])
            if number:
                way.speeds.append(done / (time.perf_counter() - began))


def table(all_ways: list[Way], size: int) -> str:
    by_title = {way.title: way for way in all_ways}
    rows = [
        f"| {size} x {size} | images/s | MB/s | ratio | to |",
        "|---|---|---|---|---|",
    ]
    for way in all_ways:
        megabytes = way.speed * size * size * 3 / 1e6
        ratio = f"{way.speed / by_title[way.limit].speed:.2f}" if way.limit else ""
        rows.append(
            f"| {way.title} | {way.speed:,.0f} | {megabytes:,.0f} | {ratio} | {way.limit} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, nargs="+", default=sorted(COUNT), choices=sorted(COUNT))
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    tables = []
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        for size in given.size:
            draw(scratch / f"images{size}", size, COUNT[size])
            found = list(ways(scratch, size))
            measure(found, size, given.rounds)
            tables.append(table(found, size))
    note = (
        f"{given.rounds} rounds of half a second each, the ways in turn, one process, one thread, "
        "files in the page cache, the same shuffled order. Ours gives uint8 batches, which are "
        "normalised on the device; item by item gives float batches, as it is usually written."
    )
    write_section("readers.py", "Reading", note, tables)


if __name__ == "__main__":
    main()
