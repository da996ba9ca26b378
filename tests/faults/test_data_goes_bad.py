"""Data that goes bad while a run reads it: one line from the worker that met it, and the end."""

import io
import struct
from collections.abc import Callable
from pathlib import Path

import h5py
import lmdb
import numpy as np
import pytest

from warm import python_for

from .conftest import MakeProject
from .processes import GONE_WITHIN, Life, command
from .runs import RunFolder
from .test_ranks import LOST_WITHIN, check_one_message

pytestmark = pytest.mark.faults


def empty_files(data: Path) -> None:
    """Every training image loses its content."""
    for path in data.glob("train/*/*"):
        path.write_bytes(b"")


def remove_files(data: Path) -> None:
    """Every training image is deleted."""
    for path in data.glob("train/*/*"):
        path.unlink()


def repeat_records(data: Path) -> None:
    """So many images that no worker has looked all of them up when they are deleted."""
    with (
        lmdb.open(str(data / "train.lmdb"), subdir=False, lock=False, map_size=1 << 26) as env,
        env.begin(write=True) as transaction,
    ):
        labels = np.load(io.BytesIO(transaction.get(b"labels")))
        for index in range(len(labels), 30 * len(labels)):
            record = transaction.get(struct.pack(">q", index % len(labels)))
            transaction.put(struct.pack(">q", index), record)
        content = io.BytesIO()
        np.save(content, np.tile(labels, 30))
        transaction.put(b"labels", content.getvalue())


def delete_records(data: Path) -> None:
    """Every training image is deleted from the database."""
    with (
        lmdb.open(str(data / "train.lmdb"), subdir=False, lock=False, map_size=1 << 24) as env,
        env.begin(write=True) as transaction,
    ):
        transaction.drop(env.open_db(txn=transaction), delete=False)


def compress_many(data: Path) -> None:
    """So many images, each in a chunk of its own, that HDF5 does not keep all in memory."""
    with h5py.File(data / "train.h5", "r+") as file:
        images = np.repeat(file["images"][:], 40, axis=0)
        labels = np.repeat(file["labels"][:], 40)
        del file["images"], file["labels"]
        shape = (1, *images.shape[1:])
        file.create_dataset("images", data=images, chunks=shape, compression="gzip")
        file["labels"] = labels


def overwrite_chunks(data: Path) -> None:
    """The bytes of every compressed image become others."""
    with h5py.File(data / "train.h5", "r") as file:
        places = [
            (info.byte_offset, info.size)
            for info in map(file["images"].id.get_chunk_info, range(len(file["images"])))
        ]
    with (data / "train.h5").open("rb+") as raw:
        for offset, size in places:
            raw.seek(offset)
            raw.write(b"x" * size)


def cut_short(data: Path) -> None:
    """The file loses the images that are mapped into memory: to read them kills the reader."""
    with (data / "train.h5").open("rb+") as raw:
        raw.truncate(4096)


def unchanged(_: Path) -> None:
    """The data that `prepare` wrote."""


Change = Callable[[Path], None]
CASES: dict[str, tuple[str, Change, Change, tuple[str, ...]]] = {
    # format, before the run, during the run, what the message names
    "empty files": ("imagefolder", unchanged, empty_files, ("train/", ".png", "empty")),
    "deleted files": ("imagefolder", unchanged, remove_files, ("train/", ".png", "No such file")),
    "deleted records": (
        *("lmdb", repeat_records, delete_records),
        ("train.lmdb", "has no image"),
    ),
    "damaged chunks": ("hdf5", compress_many, overwrite_chunks, ("train.h5", "images[")),
    "a file cut short": ("hdf5", unchanged, cut_short, ("worker",)),
}


@pytest.mark.parametrize("parallelism", ["single", "ddp"])
@pytest.mark.parametrize("case", CASES)
def test_data_that_goes_bad_ends_the_run_with_one_line(
    case: str, parallelism: str, make_project: MakeProject, source: Path
) -> None:
    data_format, before, during, says = CASES[case]
    answers = {"parallelism": parallelism, "amp": "off", "data_format": data_format}
    project = make_project(answers | {"logger": "none"})
    project.run("prepare", "--source", source)
    data, run = project.folder / "data", RunFolder(project.folder / "run")
    before(data)
    flags = ("--run-dir", "run", "--epochs", 1000, "--width", 8, "--device", "cpu")
    processes, python = 2 if parallelism != "single" else 0, python_for(project.environment)
    line = command("train", *flags, "--num-workers", 2, processes=processes, python=python)
    with Life(project, line) as life:
        life.until(lambda: run.epochs_logged() > 1)
        during(data)
        assert life.wait(LOST_WITHIN) == 1
        life.seconds_until_gone(GONE_WITHIN)
    check_one_message(life)
    (message,) = [line for line in life.said.splitlines() if "error: " in line]
    assert all(word in message for word in says), message
    assert run.place().epoch >= 1, "the last checkpoint is whole"
