"""A run's folder as seen from outside, and what must be equal in two of them."""

import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import torch

from .processes import Life

Record = dict[str, Any]


class Place(NamedTuple):
    """How far a checkpoint is."""

    step: int
    epoch: int  # epochs completed


class RunFolder:
    """Reads a run's folder while the run writes to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last = folder / "checkpoints" / "last.pt"

    def stamp(self, name: str = "checkpoints/last.pt") -> int:
        """Another number for each time that a file was replaced; 0 while there is none."""
        try:
            return (self.folder / name).stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def place(self, name: str = "last.pt") -> Place:
        """How far a checkpoint is; at the very beginning where there is none."""
        try:
            state = self.state(name)
        except FileNotFoundError:
            return Place(0, 0)
        return Place(state["progress"]["step"], state["progress"]["epoch"])

    def state(self, name: str) -> Record:
        """What a checkpoint holds."""
        content = (self.folder / "checkpoints" / name).read_bytes()  # at once: it is replaced whole
        state: Record = torch.load(io.BytesIO(content), weights_only=True)
        for setting in ("run_dir", "resume"):  # which every run has of its own
            del state["config"][setting]
        return state

    def next_checkpoint(self, life: Life, seen: int | None = None) -> Place:
        """Wait until the last checkpoint is another one; raises Ended where its run ends before.

        `seen` is the stamp of the one that it must differ from, by default of the present one.
        """
        before = self.stamp() if seen is None else seen
        life.until(lambda: self.stamp() != before)
        return self.place()

    def partial(self) -> set[tuple[str, int]]:
        """The checkpoints that are being written, or that a killed process left unfinished."""
        found = set()
        if self.last.parent.exists():
            for entry in os.scandir(self.last.parent):
                with contextlib.suppress(FileNotFoundError):
                    if entry.name.endswith(".partial"):
                        found.add((entry.name, entry.stat().st_mtime_ns))
        return found

    def epochs_logged(self) -> int:
        """The whole epochs that metrics.jsonl holds."""
        try:
            return (self.folder / "metrics.jsonl").read_bytes().count(b"\n") // 2
        except FileNotFoundError:
            return 0

    def records(self) -> list[Record]:
        """The lines of metrics.jsonl."""
        text = (self.folder / "metrics.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


def assert_same_run(one: RunFolder, other: RunFolder) -> None:
    """Two runs ended with the same numbers, in metrics and checkpoints, to the last bit."""
    a, b = ([without_the_clock(record) for record in run.records()] for run in (one, other))
    assert a == b
    for name in ("last.pt", "best.pt"):
        assert differences(one.state(name), other.state(name)) == [], name


def without_the_clock(record: Record) -> Record:
    """A line of metrics.jsonl but for the one number that is a matter of time."""
    return {name: value for name, value in record.items() if name != "samples_per_second"}


def differences(a: object, b: object, where: str = "") -> list[str]:
    """The places where two checkpoints differ."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        same = a.dtype == b.dtype and torch.equal(a, b)
        return [] if same else [where]
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [place for key in a for place in differences(a[key], b[key], f"{where}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [place for i, (x, y) in pairs for place in differences(x, y, f"{where}/{i}")]
    return [] if type(a) is type(b) and a == b else [f"{where}: {a} and {b}"]


def assert_each_line_once(records: list[Record], epochs: int, steps: int) -> None:
    """One line per split and epoch, in order, each after so many steps."""
    assert [(r["split"], r["epoch"], r["step"]) for r in records] == [
        (split, epoch, epoch * steps)
        for epoch in range(1, epochs + 1)
        for split in ("train", "val")
    ]
