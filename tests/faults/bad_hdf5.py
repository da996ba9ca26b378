"""Bad HDF5 files, as `train` and `evaluate` meet them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .bad import (
    EVALUATE,
    TRAINING,
    Bad,
    Spoil,
    cut,
    forbid,
    make_folder,
    remove,
    replace,
    with_label,
    without_class,
)

H5 = "data/train.h5"


def h5(change: Callable[[h5py.File], object], name: str = H5) -> Spoil:
    """Change an HDF5 file in its place."""

    def spoil(here: Path) -> None:
        with h5py.File(here / name, "r+") as file:
            change(file)

    return spoil


def instead(name: str, make: Callable[[np.ndarray], Any]) -> Callable[[h5py.File], None]:
    """Put another data set in the place of this one."""

    def change(file: h5py.File) -> None:
        values = file[name][:]
        del file[name]
        file[name] = make(values)

    return change


def named(*classes: str) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file.attrs["classes"] = classes

    return change


def group_of_images(file: h5py.File) -> None:
    file.move("images", "first")
    file.create_group("images").move("/first", "first")


def no_images(file: h5py.File) -> None:
    instead("images", lambda images: images[:0])(file)
    instead("labels", lambda labels: labels[:0])(file)


def damaged_chunk(file: h5py.File) -> None:
    """Compress the images one by one, and spoil the bytes of number 5."""
    images = file["images"][:]
    del file["images"]
    dataset = file.create_dataset(
        "images", data=images, chunks=(1, *images.shape[1:]), compression="gzip"
    )
    dataset.id.write_direct_chunk((5, 0, 0, 0), b"not what gzip writes")


CASES = [
    Bad("no file", remove(H5), TRAINING, (H5, "not found", "prepare")),
    Bad("an empty file", replace(H5, b""), TRAINING, (H5,)),
    Bad("half a file", cut(H5, 0.5), TRAINING, (H5, "truncated")),
    Bad("another kind of file", replace(H5, b"PK\3\4" * 999), TRAINING, (H5,)),
    Bad("a folder in its place", make_folder(H5), TRAINING, (H5,)),
    Bad("may not be read", forbid(H5), TRAINING, (H5, "denied"), unprivileged=True),
    Bad("no images", h5(lambda f: f.pop("images")), TRAINING, (H5, "'images'")),
    Bad("a group for images", h5(group_of_images), TRAINING, (H5, "shape")),
    Bad("no labels", h5(lambda f: f.pop("labels")), TRAINING, (H5, "'labels'")),
    Bad("no classes", h5(lambda f: f.attrs.pop("classes")), TRAINING, (H5, "'classes'")),
    Bad("float images", h5(instead("images", lambda i: i / 255)), TRAINING, (H5, "float64")),
    Bad("flat images", h5(instead("images", lambda i: i[..., 0])), TRAINING, (H5, "(24, 12, 12)")),
    Bad(
        "four channels",
        h5(instead("images", lambda i: i[..., [0] * 4])),
        TRAINING,
        ("val has samples", "(12, 12, 4)"),
    ),
    Bad("a label too few", h5(instead("labels", lambda x: x[1:])), TRAINING, (H5, "(23,)")),
    Bad("float labels", h5(instead("labels", lambda x: x / 1)), TRAINING, ("float64",)),
    Bad("a label too high", h5(instead("labels", with_label(3))), TRAINING, (H5, "labels[5]", "3")),
    Bad(
        "a negative label", h5(instead("labels", with_label(-1))), TRAINING, (H5, "labels[5]", "-1")
    ),
    Bad("an empty class", h5(instead("labels", without_class)), TRAINING, ("'middle'",)),
    Bad("no image at all", h5(no_images), TRAINING, (H5,)),
    Bad("a damaged chunk", h5(damaged_chunk), TRAINING, (H5, "images[5]")),
    Bad(
        "a class more in val",
        h5(named("left", "middle", "right", "top"), "data/val.h5"),
        TRAINING,
        ("other classes", "top"),
    ),
    Bad(
        "classes in another order",
        h5(named("middle", "left", "right"), "data/val.h5"),
        TRAINING,
        ("other classes", "another order"),
    ),
    Bad(
        "grey val",
        h5(instead("images", lambda i: i[..., :1]), "data/val.h5"),
        TRAINING,
        ("val has samples", "(12, 12, 1)"),
    ),
    Bad(
        "evaluated on other classes",
        h5(named("left", "middle", "top"), "data/val.h5"),
        EVALUATE,
        ("other classes", "top"),
    ),
    Bad("evaluated without data", remove("data/val.h5"), EVALUATE, ("data/val.h5", "not found")),
]
