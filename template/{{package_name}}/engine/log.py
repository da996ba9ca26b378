"""What a run reports: the terminal, metrics.jsonl and steps.jsonl, the tracker."""

import json
import math
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..base import cli, distributed
from ..base.errors import CheckpointError
from ..base.files import write_atomic
from ..config import Config
from . import tracker
from .run import read_json
from .trainer import Trainer

Record = dict[str, Any]


class Log:
    """Writes each epoch and step exactly once, however often the run was resumed."""

    def __init__(self, run_dir: Path, config: Config, trainer: Trainer) -> None:
        self.run_dir, self.config, self.trainer = run_dir, config, trainer
        self.metrics, self.steps = run_dir / "metrics.jsonl", run_dir / "steps.jsonl"
        self.points: tracker.Points = {}  # what the tracker may lack
        self.total = config.total_steps(trainer.steps_per_epoch)
        self.first, done = trainer.progress.step, 2 * trainer.progress.epoch
        # a killed run may have logged what its checkpoint does not know
        epochs = read_lines(self.metrics)[:done]
        steps = [record for record in read_lines(self.steps) if record["step"] <= self.first]
        if (found := len(epochs)) < done:
            place = f"{self.metrics}, line {found + 1} (epoch {found // 2 + 1})"
            raise CheckpointError(f"{place} is damaged or missing; restore it, or start a new run")
        for path, records in ((self.metrics, epochs), (self.steps, steps)):
            if not path.exists() or path.read_bytes() != lines(records):
                write_atomic(path, lines(records))
            self._add(records)
        self.tracker: tracker.Tracker | None = None
        self.tracker_failed = False
        self.known = {"run": uuid.uuid4().hex} | read_json(run_dir / "status.json")
        self.bar = tqdm(total=self.total, initial=self.first, unit="step", disable=None)
        self.loss = math.nan
        self.began = self.told = self.tracked = time.perf_counter()
        self.mark = (self.first, self.began)  # step and time of the last line of steps.jsonl

    def start(self) -> None:
        """Say what trains on what."""
        trainer, config, info = self.trainer, self.config, self.trainer.info
        ranks = f", {distributed.WORLD_SIZE} processes" if distributed.WORLD_SIZE > 1 else ""
        parameters = sum(p.numel() for p in trainer.model.parameters())
        self.write(
            f"device  {trainer.device}{ranks}, amp {config.amp}\n"
            f"data    {len(trainer.train_data):,} training and {len(trainer.val_data):,} "
            f"validation samples of {' x '.join(map(str, info.shape))}, "
            f"{len(info.classes)} classes, in {config.data_dir}\n"
            f"model   {parameters:,} parameters\n"
            f"steps   {trainer.steps_per_epoch:,} per epoch of {config.batch_size:,} samples each, "
            f"{self.total:,} in all\n"
            f"run     {self.run_dir}"
        )

        if self.first:
            ended = "" if self.known.get("ended") else "; the last process was killed or failed"
            self.write(f"{self.run_dir} resumes after step {self.first}{ended}")
        self._remember(ended=False)  # with the tracker's run: a start that is killed finds it again
        self.track()

    def progress(self) -> None:
        """Show how far the run is: a bar on a terminal, elsewhere a line each minute."""
        step, now = self.trainer.progress.step, time.perf_counter()
        self.bar.update(step - self.bar.n)
        if self.bar.disable and now - self.told >= 60 and step > self.first:
            self.told, pace = now, (now - self.began) / (step - self.first)  # seconds per step
            loss = "" if math.isnan(self.loss) else f" · loss {self.loss:#.4g}"
            left = tqdm.format_interval(pace * (self.total - step))
            speed = f"{self.config.batch_size / pace:,.0f} samples/s"
            self.write(f"step {step:,}/{self.total:,}{loss} · {speed} · {left} left")

    def step(self, loss: float) -> None:
        """Add a line to steps.jsonl, with the loss of the step."""
        progress, (step, then), now = self.trainer.progress, self.mark, time.perf_counter()
        record = {
            "step": progress.step,
            "epoch": progress.epoch + 1,
            "loss": loss,
            "lr": self.trainer.optimizer.param_groups[0]["lr"],
            "samples_per_second": (progress.step - step) * self.config.batch_size / (now - then),
        }
        self._append(self.steps, [record])
        self.loss, self.mark = loss, (progress.step, now)
        self.bar.set_postfix(loss=loss, refresh=False)
        if now - self.tracked >= 10:  # seconds: a request for each line could slow the run down
            self.track()

    def epoch(self, train: Record, val: Record) -> None:
        """Add the two lines of a completed epoch to metrics.jsonl, and print them as one."""
        self.progress()
        epoch, step = self.trainer.progress.epoch, self.trainer.progress.step
        where, splits = {"epoch": epoch, "step": step}, {"train": train, "val": val}
        self._append(self.metrics, [{"split": n} | where | values for n, values in splits.items()])
        said = [f"epoch {epoch}/{self.config.epochs}"]
        for name, values in splits.items():
            said.append(f"{name} " + " ".join(f"{n} {values[n]:#.4g}" for n in val))
        if train["samples_per_second"]:
            said.append(f"{train['samples_per_second']:,.0f} samples/s")
        self.write(" · ".join(said))

    def track(self, then: Callable[[tracker.Tracker], None] = lambda _: None) -> None:
        """Give the tracker what it lacks. An epoch is saved first: a checkpoint must know it.

        If the tracker fails, the run goes on without it; the next start makes up for it.
        """
        if self.tracker_failed:
            return
        self.tracked = time.perf_counter()
        try:
            if self.tracker is None:
                settings = cli.to_dict(self.config) | {"run_dir": str(self.run_dir)}
                self.tracker = tracker.Tracker(self.run_dir, self.known["run"], settings)
            # W&B takes each step once: the line of an epoch's last step waits for the epoch's own
            newest = self.trainer.progress.step
            ready = [s for s, v in self.points.items() if s < newest or "val/loss" in v]
            self.tracker.log({step: self.points.pop(step) for step in sorted(ready)})
            then(self.tracker)
        except Exception as error:
            self.tracker_failed = True
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:160]
            self.write(
                f"warning: the tracker failed ({reason}); the run goes on, {self.metrics} has it "
                "all, and the next start with --resume sends the rest"
            )

    def stop(self, number: int) -> None:
        """Say that a signal stopped the run, and how to continue."""
        self.bar.close()
        step, name = self.trainer.progress.step, signal.Signals(number).name
        self.write(
            f"stopped by {name} after step {step}, saved; continue with the same command and "
            f"--run-dir {self.run_dir} --resume"
        )
        self._remember(ended=True)
        self.track(lambda tracker: tracker.close(complete=False))

    def finish(self, said: str = "done") -> None:
        """Close a complete run, in the tracker too unless that was done; say how it ended."""
        self.bar.close()
        progress, best = self.trainer.progress, self.trainer.task.best
        if self.known.get("complete") != progress.epoch:
            self.track(lambda tracker: tracker.close(complete=True))
            self._remember(ended=True, complete=0 if self.tracker_failed else progress.epoch)
        self.write(
            f"{said}: {progress.epoch} epoch{'s' if progress.epoch > 1 else ''}, best {best} "
            f"{progress.best:#.4g} in epoch {progress.best_epoch}; the model is in "
            f"{self.run_dir / 'checkpoints' / 'best.pt'}"
        )

    def write(self, text: str) -> None:
        """Print without tearing the progress bar."""
        try:
            self.bar.write(text)
            sys.stdout.flush()
        except OSError:  # nobody reads it any more, as after `| head`: the files have it all
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def _append(self, path: Path, records: list[Record]) -> None:
        try:
            with path.open("ab") as file:
                file.write(lines(records))
                file.flush()
                if path == self.metrics:  # must be there when a checkpoint knows the epoch
                    os.fsync(file.fileno())
        except OSError as error:  # that of a full disk does not name the file
            raise OSError(error.errno, error.strerror, str(path)) from error
        self._add(records)

    def _add(self, records: list[Record]) -> None:
        for record in records:
            values = named(record, record.get("split", "step"))
            self.points.setdefault(record["step"], {}).update(values)

    def _remember(self, **values: int) -> None:
        self.known |= values
        write_atomic(self.run_dir / "status.json", json.dumps(self.known).encode())


def lines(records: list[Record]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def read_lines(path: Path) -> list[Record]:
    """The lines of a log, up to the first that a crash has cut off."""
    records: list[Record] = []
    with suppress(FileNotFoundError, ValueError, TypeError, KeyError), path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            records.append(record | {"step": int(record["step"])})
    return records


def named(record: Record, prefix: str) -> dict[str, float]:
    """The numbers of a line under the names that the tracker shows."""
    own = record.keys() - {"split", "epoch", "step"}
    return {f"{prefix}/{n}": record[n] for n in record if n in own and record[n] is not None}
