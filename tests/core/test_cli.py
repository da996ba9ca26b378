"""Whole commands: the list, the help, settings from a file, and output that nobody can read."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Project


@pytest.fixture(scope="module")
def data(folder_project: Project, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "data"
    assert folder_project.run("prepare", "--source", source, "--data-dir", folder).returncode == 0
    return folder


def test_the_package_lists_its_commands(folder_project: Project) -> None:
    line = [sys.executable, "-m", folder_project.package]
    said = subprocess.check_output(line, env=folder_project.environment(), text=True)
    assert [each.split()[2].partition(".")[2] for each in said.splitlines()] == [
        *("evaluate", "predict", "prepare", "train")
    ]
    assert said.splitlines()[-1].endswith("Train the model, from the flags to best.pt")


def test_train_as_a_script_says_what_to_type(folder_project: Project) -> None:
    line = [sys.executable, str(folder_project.folder / folder_project.package / "train.py")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    wanted = f"Run it as a module: python -m {folder_project.package}.train\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", wanted)


def test_help_fits_the_terminal_and_names_the_command(folder_project: Project) -> None:
    done = folder_project.run("train", "--help", COLUMNS="80")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: python -m {folder_project.package}.train ")
    assert max(map(len, done.stdout.splitlines())) <= 80
    for flag in ("--lr", "--width", "--resume", "--checkpoint-every", "--amp", "--config"):
        assert flag in done.stdout


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--data-dir", "absent"], 1, "absent"),
        (["--epochs", 0], 2, "--epochs must be at least 1, not 0"),
        (["--device", "cuda:99"], 2, "--device cuda:99"),
        (["lr=0.1"], 2, "did you mean --lr 0.1?"),
    ],
)
def test_what_a_user_can_fix_is_one_line(
    folder_project: Project, tmp_path: Path, flags: list[Any], code: int, said: str
) -> None:
    done = folder_project.run("train", *flags, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert said in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_a_wrong_flag_is_answered_with_the_nearest(folder_project: Project) -> None:
    done = folder_project.run("train", "--batchsize", "3")
    assert done.returncode == 2 and "--batch-size" in done.stderr


def test_settings_come_from_a_file_and_flags_go_before_them(
    folder_project: Project, data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        f'data_dir = "{data.as_posix()}"\nepochs = 9\nmax_steps = 1\nrandom_crop = false\n'
        f'batch_size = 8\nnum_workers = 0\nwidth = 8\nrun_dir = "{(tmp_path / "a").as_posix()}"\n'
    )
    done = folder_project.run("train", "--config", file, "--epochs", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 in all" in done.stdout and "done: 1 epoch" in done.stdout
    # the settings of that run for another
    again = ["--config", tmp_path / "a" / "config.json", "--run-dir", tmp_path / "b"]
    done = folder_project.run("train", *again, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    one, other = ((tmp_path / n / "metrics.jsonl").read_text().splitlines()[1] for n in "ab")
    assert one == other


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell")
@pytest.mark.parametrize("output", [">&- 2>&-", "| head -n 1", ">/dev/full"])
def test_no_run_dies_of_printing(
    folder_project: Project, data: Path, tmp_path: Path, output: str
) -> None:
    flags = ["--data-dir", data, "--run-dir", "run", "--epochs", 1, "--batch-size", 8]
    line = folder_project.command("train", *flags, "--num-workers", 0, "--width", 8)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"$@" {output}', "bash", *line],
        cwd=tmp_path,
        env=folder_project.environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 2
