"""Bad LMDB files, as `train` and `evaluate` meet them."""

import io
from collections.abc import Callable
from pathlib import Path

import lmdb
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

LMDB = "data/train.lmdb"


def number(index: int) -> bytes:
    """The key of an image."""
    return index.to_bytes(8, "big")


def records(change: dict[bytes, bytes | None], name: str = LMDB) -> Spoil:
    """Put other records into an LMDB file; None takes one away."""

    def spoil(here: Path) -> None:
        with (
            lmdb.open(str(here / name), subdir=False, lock=False, map_size=1 << 24) as env,
            env.begin(write=True) as transaction,
        ):
            for key, value in change.items():
                if value is None:
                    assert transaction.delete(key)
                else:
                    transaction.put(key, value)

    return spoil


def labels(make: Callable[[np.ndarray], np.ndarray]) -> Spoil:
    """Change the labels."""

    def spoil(here: Path) -> None:
        with (
            lmdb.open(str(here / LMDB), subdir=False, lock=False, readonly=True) as env,
            env.begin() as transaction,
        ):
            values = np.load(io.BytesIO(transaction.get(b"labels")))
        content = io.BytesIO()
        np.save(content, make(values))
        records({b"labels": content.getvalue()})(here)

    return spoil


CASES = [
    Bad("no file", remove(LMDB), TRAINING, (LMDB, "not found", "prepare")),
    Bad("an empty file", replace(LMDB, b""), TRAINING, (LMDB,)),
    Bad("half a file", cut(LMDB, 0.5), TRAINING, (LMDB, "cut short")),
    Bad("another kind of file", replace(LMDB, b"PK\3\4" * 9999), TRAINING, (LMDB,)),
    Bad("a folder in its place", make_folder(LMDB), TRAINING, (LMDB,)),
    Bad("may not be read", forbid(LMDB), TRAINING, (LMDB, "denied"), unprivileged=True),
    Bad("an image missing", records({number(5): None}), TRAINING, (LMDB, "image 5")),
    Bad("an empty image", records({number(5): b""}), TRAINING, (LMDB, "image 5", "empty")),
    Bad("no image", records({number(5): b"x"}), TRAINING, (LMDB, "image 5", "not an image")),
    Bad("no labels", records({b"labels": None}), TRAINING, (LMDB, "'labels'")),
    Bad("labels are no array", records({b"labels": b"x"}), TRAINING, (LMDB, "labels")),
    Bad("a label too high", labels(with_label(3)), TRAINING, (LMDB, "labels[5]", "3")),
    Bad("a negative label", labels(with_label(-1)), TRAINING, (LMDB, "labels[5]", "-1")),
    Bad("an empty class", labels(without_class), TRAINING, ("'middle'",)),
    Bad("no classes", records({b"classes": None}), TRAINING, (LMDB, "'classes'")),
    Bad("classes are no JSON", records({b"classes": b"{"}), TRAINING, (LMDB, "classes")),
    Bad(
        "classes in another order",
        records({b"classes": b'["middle", "left", "right"]'}, "data/val.lmdb"),
        TRAINING,
        ("another order",),
    ),
    Bad(
        "evaluated on other classes",
        records({b"classes": b'["left", "middle", "top"]'}, "data/val.lmdb"),
        EVALUATE,
        ("other classes", "top"),
    ),
    Bad(
        "evaluated on a missing image",
        records({number(4): None}, "data/val.lmdb"),
        EVALUATE,
        ("data/val.lmdb", "image 4"),
    ),
]
