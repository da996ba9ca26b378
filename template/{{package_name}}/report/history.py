"""What a run's folder says: its settings, its environment, its epochs and steps so far."""

import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ..base import cli
from ..base.errors import CheckpointError
from ..config import Config
from ..engine.log import read_lines
from ..engine.run import read_json
from ..task import Task

Record = dict[str, Any]
# of a record, its place; of a run, what says nothing about how it differs from others
PLACE = ("split", "epoch", "step")
OWN = {"run_dir", "resume", "report", "config", "device", "command", "packages", "earlier"}


class Run(NamedTuple):
    """A run as it is on disk."""

    folder: Path
    settings: Record
    environment: Record
    epochs: list[Record]  # of metrics.jsonl
    steps: list[Record]  # of steps.jsonl

    def curve(self, split: str, name: str) -> tuple[list[int], list[float]]:
        """Steps, and the values at them; `split` is train, val, or "" for steps.jsonl."""
        records = self.steps if not split else [r for r in self.epochs if r["split"] == split]
        found = [record for record in records if record.get(name) is not None]
        return [record["step"] for record in found], [record[name] for record in found]

    def names(self) -> list[str]:
        """All that was measured, the names of the validation data first."""
        records = sorted(self.epochs, key=lambda record: record["split"] != "val") + self.steps
        return list(dict.fromkeys(n for record in records for n in record if n not in PLACE))

    def best_epoch(self) -> dict[str, str]:
        """What the best epoch so far measured on the validation data; empty if there is none.

        It is the best by `Task.best`, or by the loss if the run did not measure that.
        """
        val = [record for record in self.epochs if record["split"] == "val"]
        known = any(Task.best in record for record in val)
        metric, higher = (Task.best, Task.higher_is_better) if known else ("loss", False)
        finite = [r for r in val if math.isfinite(r.get(metric, math.nan))]
        if not finite:
            return {}
        best = (max if higher else min)(finite, key=lambda record: record[metric])
        shown = {f"validation {n}": f"{v:.4g}" for n, v in best.items() if n not in PLACE}
        return {"best epoch": f"{best['epoch']}, by {metric}"} | shown

    def changed(self) -> Record:
        """The settings that are not the defaults."""
        default = cli.to_dict(Config())
        changed = {n: v for n, v in self.settings.items() if v != default.get(n)}
        return {name: value for name, value in changed.items() if name not in OWN}

    def summary(self) -> dict[str, str]:
        """When the run was started, how long its steps took, on which device."""
        lock = self.folder / "lock"  # made by the first start, never written again
        began = (lock if lock.exists() else self.folder / "config.json").stat().st_mtime
        seconds, done = 0.0, 0
        for record in self.epochs:
            if speed := record.get("samples_per_second"):
                seconds += (record["step"] - done) * self.settings["batch_size"] / speed
                done = record["step"]
        device = self.environment.get("device_name") or self.environment.get("device")
        return {
            "started": datetime.fromtimestamp(began).strftime("%Y-%m-%d %H:%M"),
            "training time": str(timedelta(seconds=round(seconds))),
            "device": str(device),
        }


def read(folder: Path) -> Run:
    """Read a run, whether it has ended or not; raises CheckpointError if there is none."""
    if not (folder / "config.json").is_file():
        raise CheckpointError(f"{folder} holds no run: it has no config.json")
    settings, environment = (read_json(folder / f"{n}.json") for n in ("config", "environment"))
    epochs, steps = (read_lines(folder / f"{n}.jsonl") for n in ("metrics", "steps"))
    if not epochs and not steps:
        raise CheckpointError(f"{folder} has no finished step yet: try again later")
    return Run(folder, settings, environment, epochs, steps)


def differences(records: list[Record]) -> dict[str, list[Any]]:
    """The names whose values differ between records, with the value of each."""
    names = dict.fromkeys(name for record in records for name in record)
    rows = {name: [record.get(name) for record in records] for name in names}
    return {n: row for n, row in rows.items() if n not in OWN and len(set(map(str, row))) > 1}
