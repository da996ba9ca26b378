"""What a run's folder says: its settings, what it ran on, and its epochs so far."""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from ..base.errors import CheckpointError
from ..base.values import Plain
from ..task import Task


class Best(NamedTuple):
    """The best epoch so far."""

    metric: str
    value: float
    epoch: int


class Run(NamedTuple):
    """A run as it lies on disk."""

    folder: Path
    settings: Plain
    environment: Plain
    lines: list[Plain]  # of metrics.jsonl

    def curve(self, split: str, name: str) -> tuple[list[int], list[float]]:
        """Epochs, and the values in them, of one number of a split."""
        found = [x for x in self.lines if x["split"] == split and x.get(name) is not None]
        return [line["epoch"] for line in found], [line[name] for line in found]

    def names(self) -> list[str]:
        """All that was measured, what both splits have first."""
        own = {name: None for split in ("val", "train") for name in self._names(split)}
        return list(own)

    def _names(self, split: str) -> list[str]:
        lines = [line for line in self.lines if line["split"] == split]
        return [name for line in lines for name in line if name not in ("split", "epoch", "step")]

    def best(self, name: object = Task.best, higher: object = Task.higher_is_better) -> Best:
        """The best epoch by a metric, as training chose it; by the loss, if that is not there."""
        if not isinstance(name, str) or name not in self._names("val"):
            name, higher = "loss", False
        best = Best(name, math.nan, 0)
        for epoch, value in zip(*self.curve("val", name), strict=True):
            better = value > best.value if higher else value < best.value
            if better or math.isnan(best.value):
                best = Best(name, value, epoch)
        return best


def read_run(folder: Path) -> Run:
    """Read a run, whether it has ended or not; raises CheckpointError where there is none."""
    if not (folder / "config.json").is_file():
        raise CheckpointError(f"{folder} holds no run: it has no config.json")
    settings = read_json(folder / "config.json")
    environment = read_json(folder / "environment.json")
    path = folder / "metrics.jsonl"
    lines: list[Plain] = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            lines.append(json.loads(text))
        except ValueError:
            break  # the run is writing this line, or was killed while it did
    if not any(line["split"] == "val" for line in lines):
        raise CheckpointError(f"{folder} has no finished epoch yet")
    return Run(folder, settings, environment, lines)


def read_json(path: Path) -> Plain:
    """Read an object; raises CheckpointError where there is none."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        return dict(content)
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error
