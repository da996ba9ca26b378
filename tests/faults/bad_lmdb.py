"""Bad LMDB files, as `train` and `evaluate` meet them."""

import json
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


def records(change: dict[str, bytes | None], name: str = LMDB) -> Spoil:
    """Put other records into an LMDB file; None takes one away."""

    def spoil(here: Path) -> None:
        with (
            lmdb.open(str(here / name), subdir=False, lock=False, map_size=1 << 24) as env,
            env.begin(write=True) as transaction,
        ):
            for key, value in change.items():
                if value is None:
                    assert transaction.delete(key.encode())
                else:
                    transaction.put(key.encode(), value)

    return spoil


def record(here: Path, key: bytes, name: str = LMDB) -> bytes:
    """What an LMDB file holds under this key."""
    with (
        lmdb.open(str(here / name), subdir=False, lock=False, readonly=True) as env,
        env.begin() as transaction,
    ):
        found = transaction.get(key)
    assert found is not None
    return found


def meta(name: str = LMDB, **change: object) -> Spoil:
    """Change what `meta` says; None takes a key away."""

    def spoil(here: Path) -> None:
        found = json.loads(record(here, b"meta", name)) | change
        kept = {key: value for key, value in found.items() if value is not None}
        records({"meta": json.dumps(kept).encode()}, name)(here)

    return spoil


def labels(make: Callable[[np.ndarray], np.ndarray]) -> Spoil:
    """Change the labels."""

    def spoil(here: Path) -> None:
        values = np.frombuffer(record(here, b"labels"), "<i8").copy()
        records({"labels": make(values).tobytes()})(here)

    return spoil


IMAGE_5 = "0000000005"
CASES = [
    Bad("no file", remove(LMDB), TRAINING, (LMDB, "not found", "prepare")),
    Bad("an empty file", replace(LMDB, b""), TRAINING, (LMDB,)),
    Bad("half a file", cut(LMDB, 0.5), TRAINING, (LMDB, "cut short")),
    Bad("another kind of file", replace(LMDB, b"PK\3\4" * 9999), TRAINING, (LMDB,)),
    Bad("a folder in its place", make_folder(LMDB), TRAINING, (LMDB,)),
    Bad("may not be read", forbid(LMDB), TRAINING, (LMDB, "denied"), unprivileged=True),
    Bad("an image missing", records({IMAGE_5: None}), TRAINING, (LMDB, IMAGE_5, "missing")),
    Bad("an image too short", records({IMAGE_5: b"x"}), TRAINING, (LMDB, IMAGE_5, "1 bytes")),
    Bad(
        "an image too long", records({IMAGE_5: b"x" * 433}), TRAINING, (LMDB, IMAGE_5, "433 bytes")
    ),
    Bad("no labels", records({"labels": None}), TRAINING, (LMDB, "'labels'")),
    Bad("a label too few", labels(lambda x: x[1:]), TRAINING, (LMDB, "'labels'", "184 bytes")),
    Bad("float labels", labels(lambda x: x.astype("<f8")), TRAINING, (LMDB, "labels[")),
    Bad("a label too high", labels(with_label(3)), TRAINING, (LMDB, "labels[5]", "3")),
    Bad("a negative label", labels(with_label(-1)), TRAINING, (LMDB, "labels[5]", "-1")),
    Bad("an empty class", labels(without_class), TRAINING, (LMDB, "middle")),
    Bad("no meta", records({"meta": None}), TRAINING, (LMDB, "'meta'")),
    Bad("meta is no JSON", records({"meta": b"{"}), TRAINING, (LMDB, "'meta'")),
    Bad("meta is a list", records({"meta": b"[1]"}), TRAINING, (LMDB, "'meta'")),
    Bad("meta without height", meta(height=None), TRAINING, (LMDB, "'meta'", "height")),
    Bad("a height of text", meta(height="12"), TRAINING, (LMDB, "'meta'", "height")),
    Bad("a height of 0", meta(height=0), TRAINING, (LMDB, "'meta'", "height")),
    Bad("classes is text", meta(classes="abc"), TRAINING, (LMDB, "'meta'", "classes")),
    Bad("four channels", meta(channels=4), TRAINING, (LMDB, "4 channels")),
    Bad("encoded as JPEG", meta(encoding="jpeg"), TRAINING, (LMDB, "'jpeg'")),
    Bad("a count too high", meta(count=99), TRAINING, (LMDB, "99")),
    Bad("a count of text", meta(count="24"), TRAINING, (LMDB, "'meta'", "count")),
    Bad(
        "classes in another order",
        meta("data/val.lmdb", classes=["middle", "left", "right"]),
        TRAINING,
        ("data/val.lmdb", LMDB, "another order"),
    ),
    Bad(
        "evaluated on other classes",
        meta("data/val.lmdb", classes=["left", "middle", "top"]),
        EVALUATE,
        ("data/val.lmdb", "top"),
    ),
    Bad(
        "evaluated on a missing image",
        records({"0000000004": None}, "data/val.lmdb"),
        EVALUATE,
        ("data/val.lmdb", "0000000004"),
    ),
]
