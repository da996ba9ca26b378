"""Bad class folders of images, as `train` and `evaluate` meet them."""

import shutil

from .bad import (
    EVALUATE,
    TRAINING,
    Bad,
    cut,
    file_for_folder,
    forbid,
    no_image_in,
    rename,
    replace,
    to_nowhere,
)

IMAGE = "data/train/left/000.jpg"


CASES = [
    Bad("no folder", rename("data", "elsewhere"), TRAINING, ("data/train", "not found", "prepare")),
    Bad("a file in its place", file_for_folder("data/train"), TRAINING, ("data/train",)),
    Bad("a truncated JPEG", cut(IMAGE, 0.5), TRAINING, (IMAGE, "corrupt image")),
    Bad("an empty image", replace(IMAGE, b""), TRAINING, (IMAGE, "empty")),
    Bad("a text for an image", replace(IMAGE, b"Dear reader"), TRAINING, (IMAGE, "not an image")),
    Bad("a link to nowhere", to_nowhere(IMAGE), TRAINING, (IMAGE, "No such file")),
    Bad("may not be read", forbid(IMAGE), TRAINING, (IMAGE, "denied"), unprivileged=True),
    Bad(
        "a folder that may not be read",
        forbid("data/train/middle"),
        TRAINING,
        ("data/train/middle", "denied"),
        unprivileged=True,
    ),
    Bad("an empty class", no_image_in("data/train/middle"), TRAINING, ("'middle'",)),
    Bad("no classes", no_image_in("data/train"), TRAINING, ("data/train", "class")),
    Bad(
        "a class only in val",
        lambda here: shutil.copytree(here / "data/val/left", here / "data/val/top"),
        TRAINING,
        ("other classes", "top"),
    ),
    Bad(
        "a class only in train",
        lambda here: shutil.rmtree(here / "data/val/middle"),
        TRAINING,
        ("other classes", "middle"),
    ),
    Bad("no val", rename("data/val", "elsewhere"), TRAINING, ("data/val", "not found")),
    Bad(
        "evaluated on a truncated JPEG",
        cut("data/val/right/000.jpg", 0.5),
        EVALUATE,
        ("data/val/right/000.jpg", "corrupt image"),
    ),
    Bad(
        "evaluated on other classes",
        rename("data/val/right", "data/val/top"),
        EVALUATE,
        ("other classes", "top"),
    ),
]
