"""Bad sources, as `prepare` meets them, and what it cannot do with a folder; in each format."""

import shutil
from pathlib import Path

import numpy as np
from PIL import Image

from .bad import (
    PREPARE,
    Bad,
    cut,
    file_for_folder,
    forbid,
    no_image_in,
    nothing,
    rename,
    replace,
    to_nowhere,
)

IMAGE = "source/train/left/000.jpg"
SPLIT = {"hdf5": "data/train.h5", "lmdb": "data/train.lmdb", "imagefolder": "data/train"}
LISTED = 3  # lines: what is wrong, the one image, what to do


def floats(here: Path) -> None:
    """An image whose pixels have no known range."""
    Image.fromarray(np.zeros((12, 12), np.float32)).save(here / "source/train/left/001.tiff")


def bomb(here: Path) -> None:
    """A PNG that says to have 100,000 x 100,000 pixels."""
    name = here / "source/train/middle/001.png"
    content = bytearray(name.read_bytes())
    content[16:24] = (100_000).to_bytes(4, "big") * 2  # width and height, behind "IHDR"
    name.write_bytes(content)


def only_one_split(here: Path) -> None:
    """Take the validation data away, whatever its format."""
    for path in (here / "data").glob("val*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def in_each_format() -> list[Bad]:
    """What each format's own way to write must refuse."""
    found = []
    for project, train in SPLIT.items():
        full = "No space" if project == "lmdb" else "too large"  # LMDB's own words
        cases = [
            Bad(
                "a truncated JPEG", cut(IMAGE, 0.5), PREPARE, (IMAGE, "corrupt image"), lines=LISTED
            ),
            Bad("an empty image", replace(IMAGE, b""), PREPARE, (IMAGE, "empty"), lines=LISTED),
            Bad(
                "a text for an image",
                replace(IMAGE, b"Dear reader"),
                PREPARE,
                (IMAGE, "not an image"),
                lines=LISTED,
            ),
            Bad("a link to nowhere", to_nowhere(IMAGE), PREPARE, (IMAGE, "No such"), lines=LISTED),
            Bad("floating-point pixels", floats, PREPARE, ("001.tiff", "8 bits"), lines=LISTED),
            Bad(
                "an image may not be read",
                forbid(IMAGE),
                PREPARE,
                (IMAGE, "denied"),
                lines=LISTED,
                unprivileged=True,
            ),
            Bad(
                "no training image left",
                lambda here: [path.write_bytes(b"") for path in here.glob("source/train/left/*")],
                f"{PREPARE} --skip-bad",
                ("'left'", "train"),
            ),
            Bad(
                "one split without the other",
                only_one_split,
                "prepare --source source --data-dir data",
                (train, "--force"),
            ),
            Bad(
                "a full disk",
                nothing,
                PREPARE,
                (full,),
                largest_file=300,
            ),
        ]
        found += [bad._replace(project=project) for bad in cases]
    return found


SOURCES = [
    *in_each_format(),
    Bad("an image of 10 gigapixels", bomb, PREPARE, ("middle/001.png",), lines=LISTED),
    Bad("no source", rename("source", "elsewhere"), PREPARE, ("source", "No such file")),
    Bad("a file for a source", file_for_folder("source"), PREPARE, ("source", "Not a directory")),
    Bad("an empty source", no_image_in("source"), PREPARE, ("source", "class")),
    Bad("an empty class", no_image_in("source/train/right"), PREPARE, ("source/train", "'right'")),
    Bad(
        "a class only in val",
        lambda here: shutil.rmtree(here / "source/train/right"),
        PREPARE,
        ("source/train", "source/val", "right"),
    ),
    Bad(
        "a class only in train",
        lambda here: shutil.rmtree(here / "source/val/right"),
        PREPARE,
        ("source/train", "source/val", "right"),
    ),
    Bad("train alone", rename("source/val", "elsewhere"), PREPARE, ("source", "train", "val")),
    Bad(
        "a class that may not be read",
        forbid("source/train/right"),
        PREPARE,
        ("source/train/right", "denied"),
        unprivileged=True,
    ),
    Bad("a file where the data goes", replace("new", b"mine"), PREPARE, ("new", "Not a directory")),
    Bad(
        "a data folder below a file",
        replace("new", b"mine"),
        "prepare --source source --data-dir new/data",
        ("new/data", "Not a directory"),
    ),
    Bad(
        "a data folder that may not be written",
        lambda here: (here / "new").mkdir(0o555),
        PREPARE,
        ("new", "denied"),
        unprivileged=True,
    ),
    Bad(
        "complete data that is damaged",
        cut("data/train.h5", 0.5),
        "prepare --source source --data-dir data",
        ("data/train.h5", "truncated"),
    ),
]
