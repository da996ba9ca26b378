"""A run that is stopped at any moment and resumed ends with the bits of one never stopped."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy.base.errors import CheckpointError, FlagError, UserError
from toys import (
    DELAY,
    STEPS,
    assert_same_run,
    at_pass,
    call,
    command,
    environment,
    flags,
    read_checkpoint,
    read_lines,
    run,
    train,
    train_here,
    write_data,
)

# what must survive a resume is on, and a checkpoint falls into the middle of each epoch
SETTINGS: dict[str, Any] = {
    "epochs": 3,
    "checkpoint_every": "4",
    "ema_decay": 0.9,
    "accumulate": 2,
    "log_every": 4,
}
QUICK = {"batch_size": 8, "num_workers": 0, "device": "cpu", "amp": "off"}


SAVED = {0, STEPS, 2 * STEPS, 3 * STEPS} | {step + DELAY for step in (4, 8, 16)}


class Crash(Exception):
    """Ends a run with nothing said and nothing saved."""


def crash() -> None:
    raise Crash


def stop() -> None:
    signal.raise_signal(signal.SIGTERM)


def step_of(run_dir: Path, name: str = "last.pt") -> int:
    """The optimizer step that a checkpoint was made after; 0 where there is none."""
    path = run_dir / "checkpoints" / name
    return read_checkpoint(run_dir, name)["progress"]["step"] if path.exists() else 0


@pytest.fixture(scope="module")
def whole(toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 18 steps, 36 passes, that was never stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert train_here(toy_data, folder, **SETTINGS) == 0
    return folder


# in the first step; in the second pass of one; right before and after a checkpoint; at the end
@pytest.mark.parametrize("crash_pass", [1, 8, 9, 12, 13, 22, 25, 36])
def test_a_crash_in_training_costs_the_steps_since_the_last_checkpoint(
    toy_data: Path, whole: Path, tmp_path: Path, crash_pass: int
) -> None:
    with at_pass(crash_pass, crash), pytest.raises(Crash):
        train_here(toy_data, tmp_path / "run", **SETTINGS)
    done = (crash_pass - 1) // 2  # whole steps
    assert step_of(tmp_path / "run") == max(step for step in SAVED if step <= done)
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    assert_same_run(tmp_path / "run", whole)


@pytest.mark.parametrize("crash_pass", [1, 2, 3, 6])
def test_a_crash_in_evaluation_costs_no_metric(
    toy_data: Path, whole: Path, tmp_path: Path, crash_pass: int
) -> None:
    with at_pass(crash_pass, crash, training=False), pytest.raises(Crash):
        train_here(toy_data, tmp_path / "run", **SETTINGS)
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    assert_same_run(tmp_path / "run", whole)


@pytest.mark.parametrize("epoch", [1, 2, 3])
@pytest.mark.parametrize("blocked", ["next.pt.partial", "previous.pt.partial"])
def test_an_epoch_that_was_logged_but_not_saved_is_logged_once(
    toy_data: Path, whole: Path, tmp_path: Path, epoch: int, blocked: str
) -> None:
    """The run ends after metrics.jsonl, before best.pt or between best.pt and last.pt."""
    obstacle = tmp_path / "run" / "checkpoints" / blocked
    with (
        at_pass(2 * epoch, obstacle.mkdir, training=False),  # the last one of the evaluation
        pytest.raises(UserError, match="could not be written"),
    ):
        train_here(toy_data, tmp_path / "run", **SETTINGS)
    assert len(read_lines(tmp_path / "run")) == 2 * epoch
    assert read_checkpoint(tmp_path / "run")["progress"]["epoch"] == epoch - 1
    obstacle.rmdir()
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    assert_same_run(tmp_path / "run", whole)


def test_a_crash_twice_in_a_row(toy_data: Path, whole: Path, tmp_path: Path) -> None:
    # in step 6; then, after a resume, in step 10
    for crash_pass, last in ((11, 4 + DELAY), (11 - 2 * DELAY, 8 + DELAY)):
        with at_pass(crash_pass, crash), pytest.raises(Crash):
            train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS)
        assert step_of(tmp_path / "run") == last
    assert step_of(tmp_path / "run", "previous.pt") == 6
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    assert_same_run(tmp_path / "run", whole)


def test_a_run_that_was_killed_within_its_first_checkpoint_starts_anew(
    toy_data: Path, whole: Path, tmp_path: Path
) -> None:
    """Of that, best.pt comes first: it holds weights, and is nothing to resume from."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    for name in ("last.pt", "previous.pt"):
        (tmp_path / "checkpoints" / name).unlink()
    assert train_here(toy_data, tmp_path, resume=True, **SETTINGS) == 0
    assert_same_run(tmp_path, whole)


def test_a_corrupt_checkpoint_is_named_and_the_one_before_used(
    toy_data: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with at_pass(21, crash), pytest.raises(Crash):
        train_here(toy_data, tmp_path / "run", **SETTINGS)
    last = tmp_path / "run" / "checkpoints" / "last.pt"
    content = bytearray(last.read_bytes())
    content[len(content) // 2] ^= 1
    last.write_bytes(content)
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    printed = capsys.readouterr().out
    assert f"{last} is corrupt" in printed and "resumes after step 6" in printed
    assert_same_run(tmp_path / "run", whole)


def test_a_signal_in_training_is_obeyed_when_the_step_is_done(
    toy_data: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with at_pass(19, stop):  # in the tenth step
        assert train_here(toy_data, tmp_path / "run", **SETTINGS) == 128 + signal.SIGTERM
    reached = 10 + DELAY
    assert step_of(tmp_path / "run") == reached
    assert f"after step {reached}, saved" in capsys.readouterr().out
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    assert f"resumes after step {reached}\n" in capsys.readouterr().out
    assert_same_run(tmp_path / "run", whole)


def test_a_signal_in_evaluation_is_obeyed_and_costs_no_metric(
    toy_data: Path, whole: Path, tmp_path: Path
) -> None:
    with at_pass(1, stop, training=False) as passes:
        assert train_here(toy_data, tmp_path / "run", **SETTINGS) == 128 + signal.SIGTERM
    assert len(passes) == 1, "the rest of the validation data was waited for"
    assert step_of(tmp_path / "run") == STEPS
    assert read_lines(tmp_path / "run") == []
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS) == 0
    assert_same_run(tmp_path / "run", whole)


@pytest.mark.parametrize("amp", ["bf16", "fp16"])
def test_a_run_in_mixed_precision_resumes_to_the_same_bits(
    toy_data: Path, tmp_path: Path, amp: str
) -> None:
    settings = SETTINGS | {"amp": amp, "epochs": 2}
    assert train_here(toy_data, tmp_path / "whole", **settings) == 0
    with at_pass(18, crash), pytest.raises(Crash):
        train_here(toy_data, tmp_path / "run", **settings)
    assert train_here(toy_data, tmp_path / "run", resume=True, **settings) == 0
    assert_same_run(tmp_path / "run", tmp_path / "whole")


@pytest.mark.parametrize("settings", [{"max_steps": 9}, {"max_samples": 20}])
def test_a_run_that_is_cut_short_resumes_to_the_same_bits(
    toy_data: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    assert train_here(toy_data, tmp_path / "whole", **SETTINGS | settings) == 0
    with at_pass(11, crash), pytest.raises(Crash):
        train_here(toy_data, tmp_path / "run", **SETTINGS | settings)
    assert train_here(toy_data, tmp_path / "run", resume=True, **SETTINGS | settings) == 0
    assert_same_run(tmp_path / "run", tmp_path / "whole")


def test_a_run_that_keeps_its_data_in_memory_has_the_same_bits(
    toy_data: Path, whole: Path, tmp_path: Path
) -> None:
    assert train_here(toy_data, tmp_path, cache="memory", **SETTINGS) == 0
    assert_same_run(tmp_path, whole)


@pytest.fixture(scope="module")
def worse_and_worse(toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose validation data is the opposite of what it learns."""
    folder = tmp_path_factory.mktemp("worse")
    for split, sign in (("train", 1), ("val", -1)):
        with np.load(toy_data / f"{split}.npz") as arrays:
            targets = sign * arrays["targets"]
            np.savez(folder / f"{split}.npz", inputs=arrays["inputs"], targets=targets)
    assert train_here(folder, folder / "run", **SETTINGS | {"ema_decay": 0.0}) == 0
    return folder / "run"


def test_the_best_checkpoint_is_that_of_the_first_best_epoch(
    whole: Path, worse_and_worse: Path
) -> None:
    epochs = []
    for folder in (whole, worse_and_worse):
        distances = [r["distance"] for r in read_lines(folder) if r["split"] == "val"]
        best = read_checkpoint(folder, "best.pt")["progress"]
        assert best["best"] == min(distances)
        assert best["epoch"] == best["best_epoch"] == distances.index(min(distances)) + 1
        epochs.append(best["epoch"])
    assert epochs[0] > 1 and epochs[1] < 3, "always the first, or always the last"


def test_more_epochs_continue_a_finished_run(toy_data: Path, whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    assert train_here(toy_data, folder, resume=True, **SETTINGS | {"epochs": 4}) == 0
    records = read_lines(folder)
    assert [r["epoch"] for r in records] == [epoch for epoch in range(1, 5) for _ in range(2)]
    assert records[:6] == read_lines(whole)


def test_patience_stops_a_run_and_a_resume_with_more_goes_on(tmp_path: Path) -> None:
    folder = write_data(tmp_path / "data")
    with np.load(folder / "val.npz") as arrays:
        np.savez(folder / "val.npz", inputs=arrays["inputs"], targets=-arrays["targets"])
    settings: dict[str, Any] = {"epochs": 9}
    assert train_here(folder, tmp_path / "run", patience=2, **settings) == 0
    stopped = read_lines(tmp_path / "run")
    values = [r["distance"] for r in stopped if r["split"] == "val"]
    assert values.index(min(values)) == len(values) - 3 and len(values) < 9
    assert train_here(folder, tmp_path / "run", patience=2, resume=True, **settings) == 0
    assert read_lines(tmp_path / "run") == stopped
    assert train_here(folder, tmp_path / "run", patience=9, resume=True, **settings) == 0
    assert len(read_lines(tmp_path / "run")) == 18
    assert train_here(folder, tmp_path / "whole", **settings) == 0
    assert read_lines(tmp_path / "whole") == read_lines(tmp_path / "run")


def test_max_steps_ends_a_run_within_an_epoch_which_is_evaluated(
    toy_data: Path, tmp_path: Path
) -> None:
    assert train_here(toy_data, tmp_path, epochs=5, max_steps=8) == 0  # 6 and 2
    lines = read_lines(tmp_path)
    assert [(line["epoch"], line["step"]) for line in lines] == [(1, 6), (1, 6), (2, 8), (2, 8)]


def test_a_resume_with_another_setting_is_refused_by_name(toy_data: Path, whole: Path) -> None:
    before = read_lines(whole)
    with pytest.raises(FlagError, match=r"--clip-norm 0\.5 \(the run has "):
        train_here(toy_data, whole, resume=True, **SETTINGS | {"clip_norm": 0.5})
    assert read_lines(whole) == before


def test_a_resume_with_other_data_is_refused(whole: Path, tmp_path: Path) -> None:
    other = write_data(tmp_path / "data", seed=1)
    with pytest.raises(CheckpointError, match=r"is not the data of .*; give the right --data-dir"):
        train_here(other, whole, resume=True, **SETTINGS)


def test_a_run_needs_no_flag_twice_and_what_may_change_can_be_given(
    toy_data: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    moved = shutil.copytree(toy_data, tmp_path / "data")
    line = ["--run-dir", folder, "--resume", "--epochs", "4", "--data-dir", moved]
    assert call(train, *line, "--device", "cpu", "--num-workers", "1") == 0
    assert "resumes after step 18\n" in capsys.readouterr().out
    config = json.loads((folder / "config.json").read_text())
    assert (config["epochs"], config["num_workers"], config["data_dir"]) == (4, 1, str(moved))
    assert (config["batch_size"], config["ema_decay"], config["accumulate"]) == (8, 0.9, 2)
    assert [line["epoch"] for line in read_lines(folder)][-1] == 4


# slow: each needs new processes


@pytest.mark.slow
def test_workers_do_not_change_the_bits(toy_data: Path, whole: Path, tmp_path: Path) -> None:
    assert train_here(toy_data, tmp_path, num_workers=2, **SETTINGS) == 0
    assert_same_run(tmp_path, whole)


def start(toy_data: Path, run_dir: Path, ready: Callable[[], bool], **settings: Any) -> Any:
    """Start a run in processes of its own; returns when it is as far as this."""
    settings = {"data_dir": toy_data, "run_dir": run_dir, **QUICK, **SETTINGS, **settings}
    line = command("train", *flags(settings))
    process = subprocess.Popen(line, env=environment(), start_new_session=True)
    while not ready():
        assert process.poll() is None, "it ended before it was to be stopped"
        time.sleep(0.001)
    return process


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_bits(toy_data: Path, whole: Path, tmp_path: Path) -> None:
    last = tmp_path / "run" / "checkpoints" / "last.pt"
    process = start(toy_data, tmp_path / "run", last.exists)
    process.kill()
    process.wait()
    step = step_of(tmp_path / "run")
    assert 4 <= step < 18
    where = {"data_dir": toy_data, "run_dir": tmp_path / "run", "resume": True}
    said = run("train", *flags({**where, **QUICK, **SETTINGS}))
    assert f"resumes after step {step}; the last process was killed or failed\n" in said
    assert_same_run(tmp_path / "run", whole)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1"])
def test_a_signal_to_all_processes_of_a_run_stops_it_and_a_resume_gives_the_same_bits(
    toy_data: Path, whole: Path, tmp_path: Path, name: str
) -> None:
    number = getattr(signal, name)
    config = tmp_path / "run" / "config.json"
    process = start(toy_data, tmp_path / "run", config.exists, num_workers=2)
    os.killpg(process.pid, number)
    assert process.wait(timeout=60) == 128 + number
    assert 0 < step_of(tmp_path / "run") < 18
    run("train", "--run-dir", tmp_path / "run", "--resume")
    assert_same_run(tmp_path / "run", whole)
