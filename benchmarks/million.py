"""A million tiny images in each format, and what the workers that load them hold in memory.

`python benchmarks/million.py …` is one such measurement, in a process of its own: see `measured`.
"""

import io
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from drawn import module_of, new_project
from PIL import Image
from torch.utils.data import DataLoader, Dataset

FORMATS = ("imagefolder", "hdf5", "lmdb")
SIZE, BATCH, CLASSES = 8, 500, 100
LIST = "a list of (path, label)"


def name_of(data_format: str) -> str:
    return f"million{data_format}"


def store(scratch: Path, data_format: str, samples: int) -> None:
    """Generate a project and give it `samples` images to train on, without decoding any."""
    name = name_of(data_format)
    folder = new_project(scratch, data_format, name)
    storage, folders = (module_of(scratch, name, f"data.{m}") for m in ("storage", "folders"))
    path = storage.split_path(folder / "data", "train")
    path.parent.mkdir()
    classes = [f"class{number:02}" for number in range(CLASSES)]
    pixels = np.random.default_rng(0).integers(0, 256, (1000, SIZE, SIZE, 3), dtype=np.uint8)
    if data_format == "imagefolder":
        return link(path, classes, samples // CLASSES, pixels[0])
    labels = np.arange(samples) * CLASSES // samples
    tree = folders.Tree(path, classes, labels, folders.Names(), labels, classes)
    storage.write(path, tree, (SIZE, SIZE), (pixels[index % 1000] for index in range(samples)))


def link(path: Path, classes: list[str], each: int, pixels: np.ndarray) -> None:
    """Files of one content: hard links, as these alone are soon made."""
    memory = io.BytesIO()
    Image.fromarray(pixels).save(memory, "JPEG")
    for name in classes:
        (path / name).mkdir(parents=True)
        first = path / name / "0000000.jpg"
        first.write_bytes(memory.getvalue())
        for number in range(1, each):
            os.link(first, path / name / f"{number:07}.jpg")


class Listed(Dataset[torch.Tensor]):
    """The index of many data sets, torchvision's ImageFolder among them; it opens no file."""

    def __init__(self, samples: int) -> None:
        each = samples // CLASSES
        self.samples = [(f"train/class{i // each:02}/{i % each:07}.jpg", i) for i in range(samples)]

    def __getitem__(self, indices: np.ndarray) -> torch.Tensor:
        return torch.tensor(
            [len(path) + label for path, label in map(self.samples.__getitem__, indices.tolist())]
        )


def epochs_of(scratch: Path, data_format: str, samples: int, start: str) -> Callable[[], Any]:
    """Begins an epoch with two workers."""
    if data_format == LIST:
        order = np.random.default_rng(0).permutation(samples).reshape(-1, BATCH)
        listed = DataLoader(
            Listed(samples),
            batch_size=None,
            sampler=list(order),
            num_workers=2,
            persistent_workers=True,
        )
        return lambda: iter(listed)
    module, reader = opened(scratch, data_format)
    sampler = module.TrainSampler(len(reader), BATCH, seed=0)
    device, dataset = torch.device("cpu"), module.BatchDataset(reader)
    loader = module.make_loader(dataset, sampler, seed=0, workers=2, start_method=start)
    return lambda: module.batches(loader, device)


def opened(scratch: Path, data_format: str) -> tuple[Any, Any]:
    """A project's module `loader`, and its reader of the million images."""
    name = name_of(data_format)
    storage = module_of(scratch, name, "data.storage")
    reader = storage.Reader(storage.split_path(scratch / name / "data", "train"))
    return module_of(scratch, name, "data.loader"), reader


def memory_of(pid: int, scratch: Path) -> tuple[float, float]:
    """Two amounts of MB that a process uses: its own, and its share of all.

    Its own is what it has written to and nobody else uses, without the images themselves: in a
    tmpfs, these too look like something it has written.
    """
    own = share = 0
    images = False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        name, *values = line.split()
        if not name.endswith(":"):  # the head of a mapping
            images = str(scratch) in line
        elif name == "Private_Dirty:" and not images:
            own += int(values[0])
        elif name == "Pss:":
            share += int(values[0])
    return own / 1024, share / 1024


def workers_now(scratch: Path) -> list[tuple[float, float]]:
    time.sleep(0.5)  # until they have prefetched what they may
    children = multiprocessing.active_children()
    return [memory_of(process.pid or 0, scratch) for process in children]


def serve(scratch: Path, data_format: str, samples: int, start: str) -> Iterator[float]:
    """The mean over the workers: after the first batch, half an epoch and a whole one."""
    torch.set_num_threads(1)
    for number, _ in enumerate(epochs_of(scratch, data_format, samples, start)()):
        if number in (0, samples // BATCH // 2, samples // BATCH - 1):
            yield from np.mean(workers_now(scratch), axis=0).tolist()


def measured(scratch: Path, data_format: str, samples: int, start: str) -> list[float]:
    """Private and shared memory of a worker: at the start, after half an epoch, after all."""
    line = [sys.executable, __file__, str(scratch), data_format, str(samples), start]
    found: list[float] = json.loads(subprocess.check_output(line, text=True).splitlines()[-1])
    return found


def memory_table(scratch: Path, samples: int) -> str:
    rows = [
        "| two workers | grown by, MB | private, MB: at the start | half an epoch later "
        "| at its end | share of all, MB: at the start | half an epoch later | at its end |",
        "|---" * 8 + "|",
    ]
    for data_format in (*FORMATS, LIST):
        for start in ("fork",) if data_format == LIST else ("fork", "forkserver"):
            found = measured(scratch, data_format, samples, start)
            private, share = found[::2], found[1::2]
            title = data_format if data_format == LIST else f"ours, {data_format}"
            cells = " | ".join(f"{value:.1f}" for value in [*private, *share])
            rows.append(f"| {title}, {start} | {private[-1] - private[0]:+.1f} | {cells} |")
    return "\n".join(rows)


if __name__ == "__main__":
    where, which, count, how = sys.argv[1:]
    print(json.dumps(list(serve(Path(where), which, int(count), how))))
