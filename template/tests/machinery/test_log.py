"""Each epoch and step is logged once, on disk and in the tracker, however often a run starts."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from toy.base.errors import CheckpointError
from toy.config import Config
from toy.engine import tracker
from toy.engine.log import Log, read_lines
from toy.engine.run import read_json
from toy.engine.trainer import Trainer
from toy.optim import PEAK
from toys import SETTINGS, at_pass, make_trainer, read_checkpoint, train_here

RECORDS = [
    {"split": split, "epoch": epoch, "step": 6 * epoch, "loss": 1 / epoch}
    for epoch in (1, 2, 3)
    for split in ("train", "val")
]
TRAIN = {"loss": 0.5, "lr": 0.1, "grad_norm": 2.0, "samples_per_second": 1234.5}
NewLog = Callable[..., Log]


class Store(tracker.Tracker):
    """A tracker in memory: what a server would have."""

    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        self.run, self.points = run, list[tuple[int, str]]()
        self.closed = self.complete = self.broken = False

    def log(self, points: dict[int, dict[str, float]]) -> None:
        if self.broken:
            raise ConnectionError("gone\nfor ever")
        self.points += [(step, name) for step, values in points.items() for name in values]

    def close(self, *, complete: bool) -> None:
        self.closed, self.complete = True, complete


@pytest.fixture
def trainer(toy_data: Path, process_group: torch.device) -> Trainer:
    return make_trainer(toy_data)


@pytest.fixture
def new_log(trainer: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewLog:
    """A function that opens the log of a run that stands at a step and an epoch."""
    monkeypatch.setattr(tracker, "Tracker", Store)

    def new(step: int = 0, epoch: int = 0, **settings: Any) -> Log:
        trainer.progress.step, trainer.progress.epoch = step, epoch
        return Log(tmp_path, Config(**SETTINGS | settings), trainer)

    return new


def advance(log: Log, steps: int, *, epoch: bool = False) -> None:
    """Log a line after these steps, and the end of the epoch."""
    log.trainer.progress.step += steps
    log.step(0.25)
    if epoch:
        log.trainer.progress.epoch += 1
        log.epoch(TRAIN, {"loss": 0.125})


def store_of(log: Log) -> Any:
    return log.tracker


@pytest.mark.parametrize("epochs", [0, 1, 2, 3])
def test_lines_of_epochs_that_are_done_again_are_dropped(
    new_log: NewLog, tmp_path: Path, epochs: int
) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    new_log(6 * epochs, epochs)
    assert read_lines(path) == RECORDS[: 2 * epochs]


@pytest.mark.parametrize("letters", [0, 1, 20, 40])
def test_a_line_cut_off_after_the_checkpoint_is_dropped(
    new_log: NewLog, tmp_path: Path, letters: int
) -> None:
    first, second, third = (json.dumps(record) for record in RECORDS[:3])
    (tmp_path / "metrics.jsonl").write_text(f"{first}\n{second}\n{third[:letters]}")
    (tmp_path / "steps.jsonl").write_text(
        '{"step": 4, "loss": 1.0}\n{"step": 8, "loss": 2.0}\n{"st'
    )
    log = new_log(6, 1)
    advance(log, 6, epoch=True)
    assert [line["step"] for line in read_lines(tmp_path / "steps.jsonl")] == [4, 12]
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 1, 2, 2]


@pytest.mark.parametrize("line", ["", "{", "7", "[]", "{}"])
def test_a_damaged_line_that_the_checkpoint_knows_is_refused(
    new_log: NewLog, tmp_path: Path, line: str
) -> None:
    lines = [json.dumps(record) for record in RECORDS]
    lines[3] = line
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines))
    with pytest.raises(CheckpointError, match=r"line 4 \(epoch 2\) is damaged or missing"):
        new_log(18, 3)


def test_lost_lines_are_refused(new_log: NewLog) -> None:
    with pytest.raises(CheckpointError, match=r"line 1 \(epoch 1\) is damaged or missing"):
        new_log(6, 1)


def test_an_epoch_is_on_the_disk_before_it_is_printed(
    new_log: NewLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    log, synced, fsync = new_log(), list[str](), os.fsync

    def note(handle: int) -> None:
        fsync(handle)
        synced.append((tmp_path / "metrics.jsonl").read_text())
        assert "epoch" not in capsys.readouterr().out

    log.trainer.progress.step, log.trainer.progress.epoch = 6, 1
    monkeypatch.setattr(os, "fsync", note)
    log.epoch(TRAIN | {"distance": 0.75}, {"loss": 0.25, "distance": 2e-5})
    assert synced == [(tmp_path / "metrics.jsonl").read_text()]
    assert capsys.readouterr().out == (
        "epoch 1/2 · train loss 0.5000 distance 0.7500 · val loss 0.2500 distance 2.000e-05 · "
        "1,234 samples/s\n"
    )
    train, val = (json.loads(line) for line in synced[0].splitlines())
    assert train == {"split": "train", "epoch": 1, "step": 6, "distance": 0.75} | TRAIN
    assert val == {"split": "val", "epoch": 1, "step": 6, "loss": 0.25, "distance": 2e-5}


def test_a_run_writes_a_line_of_steps_each_so_many_steps(toy_data: Path, tmp_path: Path) -> None:
    began = time.perf_counter()
    assert train_here(toy_data, tmp_path / "run", log_every=4) == 0
    took = time.perf_counter() - began
    lines = read_lines(tmp_path / "run" / "steps.jsonl")
    assert [(line["step"], line["epoch"]) for line in lines] == [(4, 1), (8, 2), (12, 2)]
    assert [line["lr"] for line in lines] == pytest.approx([PEAK * n / 13 for n in (10, 6, 2)])
    epochs = read_lines(tmp_path / "run" / "metrics.jsonl")[::2]
    assert epochs[0]["loss"] != lines[0]["loss"]
    # the speeds are those of parts of this time
    assert 0 < sum(4 * 8 / line["samples_per_second"] for line in lines) < took
    assert 0 < sum(6 * 8 / line["samples_per_second"] for line in epochs) < took


def test_the_speed_of_a_line_is_that_since_the_one_before(new_log: NewLog) -> None:
    log = new_log(4)
    for _ in range(2):
        log.mark = (log.mark[0], log.mark[1] - 10)  # seconds
        advance(log, 2)
    speeds = [line["samples_per_second"] for line in read_lines(log.steps)]
    assert speeds == pytest.approx([1.6, 1.6], rel=0.01)


def test_a_stopped_run_resumes_its_line_of_steps(toy_data: Path, tmp_path: Path) -> None:
    train_here(toy_data, tmp_path / "whole", log_every=4)
    with at_pass(7, lambda: signal.raise_signal(signal.SIGTERM)):
        assert train_here(toy_data, tmp_path / "run", log_every=4) == 128 + signal.SIGTERM
    assert train_here(toy_data, tmp_path / "run", log_every=4, resume=True) == 0
    one, other = (read_lines(tmp_path / n / "steps.jsonl") for n in ("whole", "run"))
    assert [line["loss"] for line in one] == [line["loss"] for line in other]


def test_the_tracker_gets_each_point_once(new_log: NewLog) -> None:
    log = new_log()
    log.start()
    for number in (1, 2):
        advance(log, 4)
        advance(log, 2, epoch=True)
        assert len(store_of(log).points) == 11 * (number - 1)  # no request for each line
        log.track()
        assert len(set(store_of(log).points)) == len(store_of(log).points) == 11 * number
    assert (12, "val/loss") in store_of(log).points and (4, "step/lr") in store_of(log).points


def test_a_start_completes_the_tracker_from_the_files(new_log: NewLog) -> None:
    log = new_log()
    log.start()
    assert not read_json(log.run_dir / "status.json")["ended"]
    advance(log, 4)
    advance(log, 2, epoch=True)  # killed before the tracker has it
    again = new_log(6, 1)
    again.start()
    names = ["step/loss", "step/lr", "step/samples_per_second"]
    assert [name for step, name in store_of(again).points if step == 4] == names
    assert (6, "val/loss") in store_of(again).points and (6, "step/loss") in store_of(again).points
    assert store_of(log).run == store_of(again).run


def test_a_step_that_may_end_an_epoch_waits_for_its_line(new_log: NewLog) -> None:
    log = new_log()
    log.start()
    advance(log, 6)
    log.track()
    assert store_of(log).points == []
    log.stop(signal.SIGTERM)
    assert store_of(log).points == [] and store_of(log).closed and not store_of(log).complete


def test_a_tracker_that_fails_is_told_once_and_the_next_start_makes_up_for_it(
    new_log: NewLog, capsys: Any
) -> None:
    log = new_log()
    log.start()
    store_of(log).broken = True
    for _ in range(2):
        advance(log, 6, epoch=True)
        log.track()
    log.finish()
    said = capsys.readouterr().out
    assert said.count("warning: the tracker failed (ConnectionError: gone); the run goes on") == 1
    assert "done: 2 epochs" in said
    again = new_log(12, 2)
    again.finish("the run is finished")
    assert {step for step, _ in store_of(again).points} == {6, 12}
    assert store_of(again).complete
    assert "warning" not in capsys.readouterr().out
    once_more = new_log(12, 2)
    once_more.finish()
    assert once_more.tracker is None, "it has it all"


def test_a_tracker_that_cannot_start_does_not_end_the_run(
    new_log: NewLog, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(tracker, "Tracker", Mock(side_effect=TimeoutError))
    log = new_log()
    log.start()
    advance(log, 6, epoch=True)
    log.track()
    said = capsys.readouterr().out
    assert said.count("the tracker failed (TimeoutError: )") == 1 and "epoch 1/2" in said


def test_the_checkpoint_comes_before_the_tracker(
    toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = []

    class Late(Store):
        def log(self, points: dict[int, dict[str, float]]) -> None:
            if any("val/loss" in values for values in points.values()):
                saved.append((max(points), read_checkpoint(tmp_path / "run")["progress"]["step"]))

    monkeypatch.setattr(tracker, "Tracker", Late)
    assert train_here(toy_data, tmp_path / "run") == 0
    assert saved == [(6, 6), (12, 12)]


def test_a_finished_run_is_left_as_it_is(toy_data: Path, finished_run: Path, capsys: Any) -> None:
    def state() -> dict[Path, tuple[bytes, int]]:
        files = [path for path in finished_run.rglob("*") if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    before = state()
    capsys.readouterr()
    assert train_here(toy_data, finished_run, resume=True) == 0
    said, after = capsys.readouterr().out, state()
    assert said.startswith(f"{finished_run} is finished: 2 epochs, best distance")
    assert {path for path in before if path.name != "lock" and before[path] != after[path]} == set()
    assert before.keys() == after.keys()


def test_without_a_terminal_a_line_comes_each_minute(new_log: NewLog, capsys: Any) -> None:
    log = new_log()
    log.told -= 100
    log.progress()  # before the first step there is no speed
    log.told += 100
    advance(log, 4)
    log.progress()
    assert capsys.readouterr().out == ""
    log.began -= 100
    log.told -= 100
    log.progress()
    log.progress()
    said = capsys.readouterr().out
    assert said.startswith("step 4/12 · loss 0.2500 · 0 samples/s · 03:2")
    assert said.endswith(" left\n") and said.count("\n") == 1


def test_progress_is_told_in_training_and_in_evaluation(
    toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = set()
    monkeypatch.setattr(Log, "progress", lambda log: modes.add(log.trainer.module.training))
    assert train_here(toy_data, tmp_path / "run") == 0
    assert modes == {True, False}


def test_a_terminal_shows_the_steps_done_and_the_loss(
    new_log: NewLog, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    log = new_log()
    advance(log, 7)
    log.progress()
    log.bar.refresh()
    shown = capsys.readouterr().err
    assert "7/12" in shown and "loss=0.25" in shown
    log.bar.close()


def test_a_start_says_what_trains_on_what(toy_data: Path, tmp_path: Path, capsys: Any) -> None:
    assert train_here(toy_data, tmp_path / "run") == 0
    said, _, rest = capsys.readouterr().out.partition("epoch 1/2")
    for words in ("cpu, amp off\n", "48 training and 15 validation samples of 6", " parameters\n"):
        assert words in said
    assert f"run     {tmp_path / 'run'}\n" in said and "6 per epoch of 8 samples each, 12" in said
    best = tmp_path / "run" / "checkpoints" / "best.pt"
    assert rest.splitlines()[-1].endswith(f"; the model is in {best}")


def test_a_log_that_cannot_be_written_ends_the_run(toy_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "run" / "metrics.jsonl"
    with (
        at_pass(8, path.unlink),
        at_pass(8, path.mkdir),
        pytest.raises(OSError, match=r"metrics\.jsonl"),
    ):
        train_here(toy_data, tmp_path / "run")
    assert read_checkpoint(tmp_path / "run")["progress"]["epoch"] == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_a_full_disk_names_the_file(new_log: NewLog) -> None:
    log = new_log()
    log.steps = Path("/dev/full")
    with pytest.raises(OSError, match="/dev/full"):
        advance(log, 4)
