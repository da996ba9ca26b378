"""Past steps can be done again with the same bits, and a run that diverged says where."""

import hashlib
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from toy import replay
from toy.base.errors import CheckpointError, FlagError, UserError
from toy.engine import checkpoint
from toy.verify.rewind import do_step, go_before, settings_of
from toys import (
    CPU,
    PACKAGE,
    call,
    only_rank,
    read_checkpoint,
    read_lines,
    train_here,
    write_data,
)


@pytest.fixture(scope="module")
def whole(toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 12 steps that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert train_here(toy_data, folder) == 0
    return folder


@pytest.fixture(scope="module")
def diverged(toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run that saved each step until one was not finite, and the step that its message names."""
    folder = tmp_path_factory.mktemp("diverged")
    with np.load(toy_data / "train.npz") as arrays:
        inputs, targets = arrays["inputs"], arrays["targets"]
    targets[7] = np.inf
    np.savez(folder / "train.npz", inputs=inputs, targets=targets)
    shutil.copy(toy_data / "val.npz", folder)
    with pytest.raises(UserError, match="not finite") as error:
        train_here(folder, folder / "run", checkpoint_every="1")
    return folder / "run", int(str(error.value).split(" step ")[1].split()[0])


Replay = tuple[int, dict[str, Any]]


def replayed(capsys: pytest.CaptureFixture[str], run_dir: Path, step: int) -> Replay:
    """The exit code of `replay --json`, and what it prints."""
    capsys.readouterr()
    code = call(replay, run_dir, "--step", step, "--json")
    return code, json.loads(capsys.readouterr().out)


def test_a_replayed_step_ends_with_the_bits_of_the_checkpoint(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = replayed(capsys, whole, 12)
    assert code == 0 and found["same_bits_as"]["last.pt"] is True
    assert found["from"] == "checkpoints/previous.pt, after step 6"
    assert (found["step"], found["epoch"], len(found["samples"])) == (12, 2, 8)
    assert found["lr"] == read_lines(whole)[-2]["lr"]
    norms = math.hypot(*found["gradient_norms"].values())  # after clipping
    limit = found["clip_norm"] or math.inf
    assert norms == pytest.approx(min(found["gradient_norm"], limit), rel=1e-3)
    weights = read_checkpoint(whole)["model"].values()
    content = b"".join(weight.numpy().tobytes() for weight in weights)
    assert found["weights_sha256"] == hashlib.sha256(content).hexdigest()


def test_a_replay_that_ends_with_other_bits_fails_and_says_so(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    state = checkpoint.load(folder / "checkpoints" / "last.pt")
    previous = (folder / "checkpoints" / "previous.pt").read_bytes()
    weight = state["model"]["head.bias"].clone()
    weight[0] = torch.nextafter(weight[0], torch.tensor(torch.inf))  # by its last bit
    state["model"] = state["model"] | {"head.bias": weight}
    checkpoint.save(folder / "checkpoints", state, best=False)
    (folder / "checkpoints" / "previous.pt").write_bytes(previous)
    assert call(replay, folder, "--step", 12) == 1
    assert "last.pt, made after this step, has OTHER bits" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("step", "start"), [(1, "the initial weights"), (7, "checkpoints/previous.pt, after step 6")]
)
def test_the_replayed_steps_of_an_epoch_measure_what_was_logged(
    whole: Path, step: int, start: str
) -> None:
    samples, loss = 0, 0.0
    with only_rank():
        trainer, found_start = go_before(settings_of(whole, step), CPU, whole, step)
        assert found_start == start
        for _ in range(6):
            found = do_step(trainer)
            samples += len(found["samples"])
            loss += found["metrics"]["loss"] * len(found["samples"])
    assert samples == 48
    assert loss / samples == pytest.approx(read_lines(whole)[step // 6 * 2]["loss"], rel=1e-9)


@pytest.mark.skipif(
    (PACKAGE / "base" / "sharded.py").exists(), reason="not with a state in parts yet"
)
def test_a_step_before_a_resume_has_the_rate_that_it_had_then(
    whole: Path, toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    assert train_here(toy_data, folder, resume=True, epochs=3) == 0
    then, now = (replayed(capsys, run, 6)[1] for run in (whole, folder))
    assert now["from"] == then["from"] == "the initial weights"
    assert [now[name] == then[name] for name in ("lr", "weights_sha256")] == [True, True]
    assert replayed(capsys, folder, 18)[0] == 0


def test_what_cannot_be_replayed_is_refused(whole: Path, tmp_path: Path) -> None:
    other = write_data(tmp_path / "data", seed=1)
    with pytest.raises(CheckpointError, match="is not the data of"):
        call(replay, whole, "--step", 12, "--data-dir", other)
    with pytest.raises(FlagError, match="--step 13"):
        call(replay, whole, "--step", 13)
    with pytest.raises(FlagError, match="--step must be at least 1"):
        replay.ReplayConfig(whole, 0)
    with pytest.raises(CheckpointError, match="holds no run"):
        call(replay, tmp_path, "--step", 1)


def test_a_run_that_diverged_is_replayed_at_the_step_that_its_message_names(
    diverged: tuple[Path, int], capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir, step = diverged
    _, found = replayed(capsys, run_dir, step)
    assert "7" in found["samples"] and found["metrics"]["loss"] == "inf"
    assert step > 1, "there is no step before"
    _, before = replayed(capsys, run_dir, step - 1)
    assert isinstance(before["metrics"]["loss"], float)
    assert before["first_not_finite"] is None and "7" not in before["samples"]


def test_nothing_after_a_step_that_was_not_finite_is_saved(diverged: tuple[Path, int]) -> None:
    run_dir, step = diverged
    assert 0 < read_checkpoint(run_dir)["progress"]["step"] < step


def test_the_module_whose_output_is_the_first_that_is_not_finite_is_named(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train_here(toy_data, tmp_path / "run", epochs=1) == 0
    state = checkpoint.load(tmp_path / "run" / "checkpoints" / "last.pt")
    state["model"] = state["model"] | {"head.weight": torch.full((2, 8), 3e38)}
    checkpoint.save(tmp_path / "run" / "checkpoints", state, best=False)
    with pytest.raises(UserError, match="step 7 is not finite"):
        train_here(toy_data, tmp_path / "run", resume=True)
    assert len(read_lines(tmp_path / "run")) == 2, "those of the first epoch"
    call(replay, tmp_path / "run", "--step", 7)
    printed = capsys.readouterr().out
    assert "the first output that is not finite: head (Linear)\n" in printed
