"""Bad run folders, as `train` meets them: at a first start, and at a resume."""

import json
import shutil
from pathlib import Path

import torch

from .bad import (
    BEST,
    EVALUATE,
    RESUME,
    SMALL,
    TRAINING,
    Bad,
    Spoil,
    both,
    cut,
    flip,
    forbid,
    make_folder,
    nothing,
    remove,
    replace,
)
from .bad_checkpoints import Hostile, changed, reordered, sealed, set_to, without
from .bad_hdf5 import h5, instead

LAST, PREVIOUS = "run/checkpoints/last.pt", "run/checkpoints/previous.pt"
CONFIG, METRICS = "run/config.json", "run/metrics.jsonl"
# what a start changes before it comes to the fault: the receipts, and metrics.jsonl as it was
STARTED = ("run/config.json", "run/environment.json", "run/status.json", "run/metrics.jsonl")


def checkpoint(change: Spoil) -> Spoil:
    """Change the last checkpoint, and leave no other to fall back to."""
    return both(change, remove(PREVIOUS))


def line(number: int, text: bytes) -> Spoil:
    """Put this in the place of a line of metrics.jsonl, counted from 1."""

    def spoil(here: Path) -> None:
        lines = (here / METRICS).read_bytes().splitlines(keepends=True)
        lines[number - 1] = text
        (here / METRICS).write_bytes(b"".join(lines))

    return spoil


def setting(name: str, value: object) -> Spoil:
    """Put another value into config.json."""

    def spoil(here: Path) -> None:
        settings = json.loads((here / CONFIG).read_text(encoding="utf-8")) | {name: value}
        (here / CONFIG).write_text(json.dumps(settings), encoding="utf-8")

    return spoil


def long_history(here: Path) -> None:
    """Lines so long that metrics.jsonl takes more than a checkpoint."""
    lines = (here / METRICS).read_text(encoding="utf-8").splitlines()
    records = [json.loads(text) | {"note": "x" * 400_000} for text in lines]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (here / METRICS).write_text(text, encoding="utf-8")


def other_pixels(here: Path) -> None:
    h5(instead("images", lambda images: 255 - images))(here)


DAMAGED = [
    Bad(
        "both checkpoints damaged",
        both(flip(LAST, 0.5), cut(PREVIOUS, 0.5)),
        RESUME,
        (LAST, PREVIOUS),
    ),
    Bad("the only checkpoint damaged", checkpoint(flip(LAST, 0.5)), RESUME, (LAST, "corrupt")),
    Bad("the only checkpoint empty", checkpoint(replace(LAST, b"")), RESUME, (LAST, "corrupt")),
    Bad("hostile", checkpoint(replace(LAST, sealed(Hostile()))), RESUME, (LAST, "plain data")),
    *(
        Bad(f"no {key}", checkpoint(changed(LAST, without(key))), RESUME, ("run", key))
        for key in ("model", "optimizer", "progress", "sums", "dataset")
    ),
    Bad(
        "another model",
        checkpoint(changed(LAST, set_to(torch.ones(1), "model", "head.weight"))),
        RESUME,
        ("run", "head.weight"),
    ),
    Bad(
        "parameters in another order",
        checkpoint(changed(LAST, reordered)),
        RESUME,
        ("run", "order"),
    ),
    Bad("config.json is no JSON", cut(CONFIG, 0.5), RESUME, (CONFIG,), 2),
    Bad("config.json is a list", replace(CONFIG, b"[1]"), RESUME, (CONFIG,), 2),
    Bad("config.json is not text", replace(CONFIG, b"\xff\xfe"), RESUME, (CONFIG,), 2),
    Bad(
        "config.json with text for a number",
        setting("width", "wide"),
        RESUME,
        (CONFIG, "wide"),
        2,
        boxed=True,
    ),
    Bad("config.json with a bad value", setting("dropout", 7), RESUME, ("--dropout",), 2),
    Bad(
        "environment.json is no JSON",
        replace("run/environment.json", b"{"),
        RESUME,
        ("run/environment.json",),
    ),
    *(
        Bad(what, spoil, RESUME, (METRICS, *names), may_change=STARTED)
        for what, spoil, names in (
            ("a damaged line of metrics", line(2, b'{"split": "va\n'), ("line 2",)),
            ("a line of metrics too few", line(3, b""), ("epoch 2",)),
            ("a line of metrics twice", line(1, b'{"split": "val", "epoch": 1}\n' * 2), ()),
            ("a number in metrics", line(2, b"5\n"), ("line 2",)),
            ("no epoch in metrics", line(2, b'{"split": "val"}\n'), ("line 2",)),
            ("metrics that are not text", line(1, b"\xff\xfe\n"), ()),
            ("a folder for metrics", make_folder(METRICS), ()),
            ("metrics lost", remove(METRICS), ()),
        )
    ),
    Bad("other pixels", other_pixels, RESUME, ("data", "differs")),
    Bad(
        "fewer images than a batch",
        nothing,
        f"{TRAINING} --batch-size 25",
        ("24", ["--batch-size", "25"][0]),
    ),
    Bad(
        "one value per channel to normalise",
        nothing,
        f"{TRAINING} --image-size 1 --batch-size 1",
        ("--batch-size",),
        may_change=("new",),
    ),
]

FOLDERS = [
    Bad(
        "the run's folder is a file",
        replace("new", b"mine"),
        TRAINING,
        ("--run-dir new",),
        2,
    ),
    Bad(
        "below a file",
        replace("new", b"mine"),
        f"train --data-dir data --run-dir new/run {SMALL}",
        ("--run-dir new/run",),
        2,
    ),
    Bad(
        "in a folder that may not be written",
        lambda here: (here / "new").mkdir(0o555),
        TRAINING,
        ("--run-dir new",),
        2,
        unprivileged=True,
    ),
    Bad(
        "checkpoints is a file",
        both(lambda here: shutil.rmtree(here / "run/checkpoints"), replace("run/checkpoints", b"")),
        RESUME,
        ("run/checkpoints",),
        2,
    ),
    Bad("the lock is a folder", make_folder("run/lock"), RESUME, ("run/lock",), 2),
    Bad("the checkpoint is a folder", checkpoint(make_folder(LAST)), RESUME, (LAST,)),
    Bad(
        "checkpoints that may not be read",
        both(forbid(LAST), forbid(PREVIOUS)),
        RESUME,
        (LAST, "denied"),
        unprivileged=True,
    ),
    Bad(
        "checkpoints that may not be written",
        forbid("run/checkpoints", 0o555),
        RESUME,
        ("run/checkpoints",),
        may_change=STARTED,
        unprivileged=True,
    ),
]

FULL = [
    Bad(
        "a full disk at the first checkpoint",
        nothing,
        TRAINING,
        ("new/checkpoints/", "too large", "intact"),
        may_change=("new",),
        largest_file=50_000,
    ),
    Bad(
        "a full disk at a later checkpoint",
        nothing,
        RESUME,
        ("run/checkpoints/", "too large", "intact"),
        may_change=(*STARTED, PREVIOUS),  # by now as the last one
        largest_file=50_000,
    ),
    Bad(
        "a full disk at metrics.jsonl",
        long_history,
        RESUME,
        (METRICS, "too large"),
        may_change=STARTED[:3],
        largest_file=500_000,
    ),
    Bad(
        "a full disk at the receipts",
        nothing,
        TRAINING,
        ("new/", "too large"),
        may_change=("new",),
        largest_file=100,
    ),
]

# refused by several processes at once, or by one of them
TORCHRUN = [
    bad._replace(project="torchrun", processes=2, exits=1)
    for bad in (
        Bad("no data", remove("data/val.h5"), TRAINING, ("data/val.h5", "not found")),
        Bad("a wrong value", nothing, f"{TRAINING} --epochs 0", ("--epochs",)),
        Bad("the run's folder is a file", replace("new", b"mine"), TRAINING, ("--run-dir new",)),
        Bad(
            "a full disk",
            nothing,
            TRAINING,
            ("new/checkpoints/", "too large"),
            may_change=("new",),
            largest_file=50_000,
        ),
        Bad("both checkpoints damaged", both(flip(LAST, 0.5), cut(PREVIOUS, 0.5)), RESUME, (LAST,)),
        Bad(
            "a damaged line of metrics",
            line(2, b"5\n"),
            RESUME,
            (METRICS, "line 2"),
            may_change=STARTED,
        ),
        Bad("a damaged checkpoint", flip(BEST, 0.5), EVALUATE, (BEST, "corrupt")),
        Bad("no data to evaluate on", remove("data/val.h5"), EVALUATE, ("data/val.h5",)),
    )
]

RUNS = [*DAMAGED, *FOLDERS, *FULL, *TORCHRUN]
