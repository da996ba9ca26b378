"""What a bad input is: how it is made from a good one, the command that meets it, what must follow.

Each is tried in a folder of its own that holds

    source/   {train,val}/<class>/<image>, three classes
    data/     the same, prepared in a project's format
    run/      a run of two epochs on it
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

Spoil = Callable[[Path], object]

CLASSES = ("left", "middle", "right")
TRAIN, VAL = 8, 3  # images per class
SIDE = 12  # pixels

SMALL = "--width 8 --batch-size 8 --epochs 2 --num-workers 0 --device cpu"
TRAINING = f"train --data-dir data --run-dir new {SMALL}"
RESUME = "train --run-dir run --resume --epochs 3 --device cpu"
PREPARE = "prepare --source source --data-dir new"
BEST = "run/checkpoints/best.pt"
EVALUATE = f"evaluate {BEST} --device cpu --num-workers 0"
PREDICT = f"predict --device cpu {BEST} source/val/left/000.jpg"
EXPORT = f"export {BEST}"


class Bad(NamedTuple):
    """A bad input, and what a command must make of it."""

    what: str
    spoil: Spoil  # in the folder above
    command: str  # module and flags
    says: tuple[str, ...]  # the file or key, the index, the flag
    exits: int = 1
    lines: int = 1  # of the message
    boxed: bool = False  # tyro found the wrong flag: its message has a frame
    project: str = "hdf5"  # the one whose command it is
    may_change: tuple[str, ...] = ()  # folders and files that were begun before it showed
    unprivileged: bool = False  # needs a user that may not read everything
    processes: int = 0  # of torchrun
    largest_file: int | None = None  # bytes: a disk that is full


def nothing(_: Path) -> None:
    """The flags are bad enough."""


def remove(name: str) -> Spoil:
    return lambda here: (here / name).unlink()


def replace(name: str, content: bytes) -> Spoil:
    return lambda here: (here / name).write_bytes(content)


def cut(name: str, share: float) -> Spoil:
    """Keep the first bytes only."""

    def spoil(here: Path) -> None:
        content = (here / name).read_bytes()
        (here / name).write_bytes(content[: int(share * len(content))])

    return spoil


def flip(name: str, share: float) -> Spoil:
    """Change one bit, so far into the file."""

    def spoil(here: Path) -> None:
        content = bytearray((here / name).read_bytes())
        content[int(share * len(content))] ^= 1
        (here / name).write_bytes(content)

    return spoil


def make_folder(name: str) -> Spoil:
    """Put a folder where a file is expected, or where nothing was."""

    def spoil(here: Path) -> None:
        (here / name).unlink(missing_ok=True)
        (here / name).mkdir()

    return spoil


def forbid(name: str, mode: int = 0) -> Spoil:
    """Take the permissions away."""
    return lambda here: (here / name).chmod(mode)


def both(first: Spoil, second: Spoil) -> Spoil:
    def spoil(here: Path) -> None:
        first(here)
        second(here)

    return spoil


def with_label(value: int) -> Callable[[np.ndarray], np.ndarray]:
    """The same labels, but for number 5."""

    def make(labels: np.ndarray) -> np.ndarray:
        labels[5] = value
        return labels

    return make


def without_class(labels: np.ndarray) -> np.ndarray:
    """The same labels without a 1."""
    return np.where(labels == 1, 0, labels)


def no_image_in(name: str) -> Spoil:
    """Empty a class's folder."""

    def spoil(here: Path) -> None:
        shutil.rmtree(here / name)
        (here / name).mkdir()

    return spoil


def to_nowhere(name: str) -> Spoil:
    """Make it a link to a file that is not there."""

    def spoil(here: Path) -> None:
        (here / name).unlink()
        os.symlink("nowhere.jpg", here / name)

    return spoil


def rename(old: str, new: str) -> Spoil:
    return lambda here: (here / old).rename(here / new)


def file_for_folder(name: str) -> Spoil:
    def spoil(here: Path) -> None:
        shutil.rmtree(here / name)
        (here / name).write_text("not a folder")

    return spoil
