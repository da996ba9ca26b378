"""A run of your code repeats, survives a kill and evaluates exactly: `pytest -m slow`."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from commands import FLAGS, command, run

SETTINGS = [*FLAGS, "--epochs=3", "--ema-decay=0.9"]
pytestmark = pytest.mark.slow


def train(data: Path, run_dir: Path, *flags: str) -> Path:
    """Train, or finish a run that was stopped."""
    where = ("--data-dir", data, "--run-dir", run_dir, "--resume")
    run("train", *where, *SETTINGS, *flags)
    return run_dir


def result(run_dir: Path) -> tuple[list[dict[str, Any]], dict[str, torch.Tensor]]:
    """The lines of metrics.jsonl but for the time they took, and the averaged weights."""
    lines = map(json.loads, (run_dir / "metrics.jsonl").read_text().splitlines())
    state = torch.load(run_dir / "checkpoints" / "last.pt", weights_only=True)
    return [{k: v for k, v in x.items() if k != "samples_per_second"} for x in lines], state["ema"]


def assert_same(one: Path, other: Path) -> None:
    """Two runs ended with the same numbers and weights, to the bit."""
    (lines, weights), (other_lines, other_weights) = result(one), result(other)
    assert lines == other_lines
    assert [name for name in weights if not torch.equal(weights[name], other_weights[name])] == []


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    return train(data, tmp_path_factory.mktemp("runs") / "finished")


def test_workers_do_not_change_a_run(data: Path, finished: Path, tmp_path: Path) -> None:
    assert_same(train(data, tmp_path / "run", "--num-workers=2"), finished)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_stopped_run_ends_like_one_never_stopped(
    data: Path, finished: Path, tmp_path: Path, name: str
) -> None:
    if not hasattr(signal, name):
        pytest.skip(f"this system has no {name}")
    run_dir = tmp_path / "run"
    where = ("--data-dir", data, "--run-dir", run_dir, "--checkpoint-every=2")
    process = subprocess.Popen(
        command("train", *where, *SETTINGS), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not (run_dir / "checkpoints" / "last.pt").exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(getattr(signal, name))
    process.wait(60)
    assert_same(train(data, run_dir), finished)


def test_evaluate_finds_what_training_logged(data: Path, finished: Path) -> None:
    found = json.loads(run("evaluate", finished / "checkpoints" / "last.pt", "--json"))
    logged = result(finished)[0][-1]
    del found["samples"]
    assert found == {name: logged[name] for name in found}
    assert run("predict", finished, next((data.parent / "source").rglob("*.png")))


def test_evaluate_measures_what_its_flags_say(finished: Path, tmp_path: Path) -> None:
    assert json.loads(run("evaluate", finished, "--split=train", "--json"))["samples"] == 48
    assert str(tmp_path) in run("evaluate", finished, "--data-dir", tmp_path, exits=1)
