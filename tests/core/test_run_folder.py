"""What a training run leaves in its folder, and what it refuses to do with one."""

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .conftest import Project


class Run(NamedTuple):
    """A finished run of one epoch, and what it printed."""

    project: Project
    folder: Path
    flags: list[Any]
    said: str

    def again(self, *flags: Any) -> subprocess.CompletedProcess[str]:
        """The same command with more flags."""
        return self.project.run("train", *self.flags, *flags)


@pytest.fixture(scope="module")
def run(folder_project: Project, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    flags: list[Any] = ["--run-dir", folder / "a", "--data-dir", folder / "data", "--epochs", 1]
    flags += ["--batch-size", 8, "--num-workers", 0, "--log-every", 2]
    done = folder_project.run("prepare", "--source", source, "--data-dir", folder / "data")
    assert done.returncode == 0, done.stderr
    # --resume with nothing there starts
    done = folder_project.run("train", *flags, "--resume", "--width", 8)
    assert (done.returncode, done.stderr) == (0, "")
    return Run(folder_project, folder / "a", [*flags, "--width", 8], done.stdout)


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_the_files_of_a_run(run: Run) -> None:
    assert state(run.folder).keys() >= {
        *("config.json", "environment.json", "metrics.jsonl", "steps.jsonl", "last.pt", "best.pt")
    }
    config = json.loads((run.folder / "config.json").read_text())
    assert (config["epochs"], config["run_dir"], config["device"]) == (1, str(run.folder), "cpu")
    lines = [json.loads(line) for line in (run.folder / "metrics.jsonl").read_text().splitlines()]
    assert [(line["split"], line["epoch"], line["step"]) for line in lines] == [
        ("train", 1, 3),
        ("val", 1, 3),
    ]
    assert lines[0].keys() >= {"loss", "accuracy", "lr", "samples_per_second"}
    steps = [json.loads(line) for line in (run.folder / "steps.jsonl").read_text().splitlines()]
    assert [[*line] for line in steps] == [["step", "epoch", "loss", "lr", "samples_per_second"]]
    environment = json.loads((run.folder / "environment.json").read_text())
    assert environment["command"][1:3] == ["--run-dir", str(run.folder)]
    assert environment.keys() >= {"git_commit", "git_dirty", "template_version", "packages"}
    assert "torch" in environment["packages"]


def test_the_output_names_device_data_parameters_and_folder_before_the_first_epoch(
    run: Run,
) -> None:
    before, _, after = run.said.partition("epoch 1/1 · train loss ")
    for words in ("device  cpu", "24 training and 9 validation samples of 12 x 12 x 3, 3 classes"):
        assert words in before
    assert " parameters\n" in before and f"run     {run.folder}\n" in before
    assert after.splitlines()[-1].startswith("done: 1 epoch, best accuracy ")
    assert after.endswith(f"; the model is in {run.folder / 'checkpoints' / 'best.pt'}\n")


def test_a_folder_with_a_run_is_refused_and_left_alone(run: Run) -> None:
    before = state(run.folder)
    done = run.again()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: --run-dir {run.folder} holds a run; use another folder, or add --resume\n"
    )
    assert state(run.folder) == before


def test_a_finished_run_is_said_to_be_finished_and_left_alone(run: Run) -> None:
    before = state(run.folder)
    done = run.again("--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{run.folder} is finished: 1 epoch, best accuracy ")
    assert state(run.folder) == before


def test_other_settings_are_refused_by_name(run: Run) -> None:
    done = run.again("--resume", "--lr", 0.5, "--seed", 3, "--epochs", 2)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {run.folder} cannot be resumed with --lr 0.5 (the run has 0.002), "
        "--seed 3 (the run has 0)\n"
    )
