"""How fast are the readers: against the bare limit of each, and against reading item by item.

    python benchmarks/readers.py [--rounds 9] [--size 32 224]

The same drawn images in every format, read in the same shuffled order, in one process on one
thread. Writes its section of benchmarks/README.md.
"""

import argparse
import os
import shutil
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
from drawn import BATCH, COUNT, decode, draw, module_of, package_name, prepare
from pace import Pace, one_thread, processor, versions
from timing import write_section
from torch.utils.data import default_collate

FORMATS = ("imagefolder", "hdf5", "lmdb")
MEAN, STD = torch.tensor([0.5, 0.5, 0.5]).view(3, 1, 1), torch.tensor([0.25] * 3).view(3, 1, 1)
MEMCPY, GATHER = "memcpy", "the images gathered in memory"
TURNS, TURN = 25, 0.02  # of a round; in seconds
PILLOW, TURBO = "Pillow alone, decoding", "libjpeg-turbo alone, decoding"

Read = Callable[[np.ndarray], Any]


@dataclass
class Way:
    """A way to read batches, and its images per second."""

    title: str
    read: Read
    limits: tuple[str, ...] = ()
    """The ways that this one cannot beat."""
    same_pixels: bool = True
    """Whether it gives the requested images: a bare copy gives any."""
    speed: Pace = field(default_factory=Pace)


def reader_of(scratch: Path, data_format: str, size: int) -> Any:
    """A generated project's own reader of the drawn images."""
    prepare(scratch, data_format, size)
    name = package_name(data_format, size)
    module_of(scratch, name, "base.memory").keep_freed()  # as every command of a project does
    storage = module_of(scratch, name, "data.storage")
    return storage.Reader(storage.split_path(scratch / name / "data", "train"))


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
    readers = {name: reader_of(scratch, name, size) for name in FORMATS}
    yield from copies(readers["hdf5"], BATCH[size])
    for name in ("hdf5", "lmdb"):
        yield Way(f"{name}: ours", readers[name].read, (GATHER, MEMCPY))
    pixels = h5py.File(scratch / package_name("hdf5", size) / "data" / "train.h5")["images"]
    yield Way("hdf5: item by item", one_by_one(lambda index: pixels[index]), ("hdf5: ours",))
    data = scratch / package_name("lmdb", size) / "data"
    path = shutil.copy(data / "train.lmdb", data / "again.lmdb")  # LMDB opens a file but once
    transaction = lmdb.open(str(path), subdir=False, lock=False, readonly=True).begin()

    def record(index: int) -> np.ndarray:
        found = transaction.get(b"%010d" % index) or b""
        return np.frombuffer(found, np.uint8).reshape(size, size, 3).copy()

    yield Way("lmdb: item by item", one_by_one(record), ("lmdb: ours",))
    yield from decoders(readers["imagefolder"])


def copies(reader: Any, batch: int) -> Iterator[Way]:
    """What no reader of raw pixels can beat: both copy out of memory into one buffer, used anew."""
    everything = reader.read(np.arange(len(reader)))
    flat = everything.reshape(len(everything), -1)
    buffer = np.empty((batch, flat.shape[1]), np.uint8)
    at = 0

    def memcpy(indices: np.ndarray) -> None:
        nonlocal at
        at = at + batch if at + 2 * batch <= len(flat) else 0
        np.copyto(buffer, flat[at : at + batch])

    def gather(indices: np.ndarray) -> np.ndarray:
        np.take(flat, indices, axis=0, out=buffer, mode="clip")
        return buffer.reshape(-1, *everything.shape[1:])

    yield Way(MEMCPY, memcpy, same_pixels=False)
    yield Way(GATHER, gather, (MEMCPY,))


def decoders(folder: Any) -> Iterator[Way]:
    """Ways to read image files; the limits are decoders and nothing around them."""
    files = [folder.where(index) for index in range(len(folder))]
    yield Way(PILLOW, lambda i: [decode(files[k]) for k in i.tolist()])
    limits: tuple[str, ...] = (PILLOW,)
    try:
        from simplejpeg import decode_jpeg  # libjpeg-turbo and nothing around it
    except ImportError:
        print("without simplejpeg, the limit of JPEG is Pillow", file=sys.stderr)
    else:
        limits = (TURBO, PILLOW)
        yield Way(TURBO, lambda i: [decode_jpeg(content(files[k])) for k in i.tolist()])
    yield Way("imagefolder: ours", folder.read, limits)
    by_item = one_by_one(lambda k: decode(files[k]))
    yield Way("imagefolder: item by item", by_item, ("imagefolder: ours",))


def content(file: str) -> bytes:
    """A file's bytes, with as little around them as Python allows."""
    opened = os.open(file, os.O_RDONLY)
    try:
        return os.read(opened, 1 << 16)  # none of them is larger: `check` would see it
    finally:
        os.close(opened)


def check(all_ways: list[Way], size: int) -> None:
    """Raise unless all ways give the very pixels that Pillow decodes from the files."""
    by_title = {way.title: way for way in all_ways}
    order = np.random.default_rng(2).permutation(COUNT[size])
    for indices in order[: 4 * BATCH[size]].reshape(4, -1):
        wanted = np.stack(by_title[PILLOW].read(indices))
        for way in all_ways:
            if way.same_pixels:
                assert np.array_equal(pixels(way.read(indices)), wanted), way.title


def pixels(batch: Any) -> np.ndarray:
    """A batch as it was stored, (B, H, W, C) uint8."""
    if isinstance(batch, torch.Tensor):  # (B, C, H, W), normalised
        batch = ((batch * STD + MEAN) * 255).round().byte().permute(0, 2, 3, 1).numpy()
    return np.stack(list(batch))


def measure(all_ways: list[Way], size: int, rounds: int) -> None:
    """Read shuffled batches in turns short enough that what slows the machine slows all alike."""
    random = np.random.default_rng(1)
    batch = BATCH[size]
    for number in range(rounds + 1):  # the first only warms the caches
        images, seconds = np.zeros(len(all_ways)), np.zeros(len(all_ways))
        for _ in range(TURNS):
            for at in random.permutation(len(all_ways)).tolist():
                order = random.permutation(COUNT[size]).reshape(-1, batch)
                began, done = time.perf_counter(), 0
                while (spent := time.perf_counter() - began) < TURN:
                    all_ways[at].read(order[done % len(order)])
                    done += 1
                images[at] += done * batch
                seconds[at] += spent
        if number:
            for way, speed in zip(all_ways, (images / seconds).tolist(), strict=True):
                way.speed.values.append(speed)


def table(all_ways: list[Way], size: int) -> str:
    by_title = {way.title: way for way in all_ways}
    rows = [
        f"| {size} x {size} | its speed over that of | images/s | lowest to highest | MB/s |",
        "|---|---|---|---|---|",
    ]
    for way in all_ways:
        ratios = [f"{way.speed.against(by_title[name].speed)} {name}" for name in way.limits]
        megabytes = way.speed.median * size * size * 3 / 1e6
        rows.append(
            f"| {way.title} | {'; '.join(ratios)} | {way.speed.cells()} | {megabytes:,.0f} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--size", type=int, nargs="+", default=sorted(COUNT), choices=sorted(COUNT))
    given = parser.parse_args()
    one_thread()
    torch.set_num_threads(1)
    tables = []
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        for size in given.size:
            draw(scratch / f"images{size}", size)
            found = list(ways(scratch, size))
            check(found, size)
            measure(found, size, given.rounds)
            tables.append(table(found, size))
    megabytes = [f"{COUNT[size] * size * size * 3 / 1e6:,.0f} MB" for size in given.size]
    packages = versions("torch", "numpy", "h5py", "lmdb", "pillow", "simplejpeg")
    note = (
        f"{processor()}; {packages}. {given.rounds} rounds, one process, one thread, each round "
        f"{TURNS} turns of {1000 * TURN:.0f} ms for each in another order, files in the page "
        "cache, the images in a shuffled order; the pixels are "
        f"{' and '.join(megabytes)}, more than the caches hold. Before timing, all ways were shown "
        f"to give the very same pixels, those that Pillow decodes. `{MEMCPY}` copies as many bytes "
        f"one after another, `{GATHER}` copies the same images in the same order out of memory, "
        "both into one buffer used anew; a reader hands out a new one each time. The process keeps "
        "what it frees, as a project's commands do, for all ways alike. Ours gives uint8 "
        "batches, which are normalised on the device; item by item gives float batches, as it is "
        "usually written."
    )
    write_section("readers.py", "Reading", note, tables)


if __name__ == "__main__":
    main()
