"""A disk or an output that takes no more: one line that names it, and nothing left behind."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Done, run, tree


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs an output that takes nothing")
@pytest.mark.parametrize("flags", [[], ["--json"], ["--dry-run"]])
@pytest.mark.parametrize("path", ["a/x", "."])
def test_a_project_whose_report_cannot_be_printed_is_taken_back(
    tmp_path: Path,
    env: dict[str, str],
    template: Path,
    path: str,
    flags: list[str],
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    writer = os.open("/dev/full", os.O_WRONLY)
    command = (sys.executable, "-m", "torchgen_cli", "new", path, "--source", str(template), *flags)
    done = subprocess.run(
        command, cwd=here, env=env, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    message = (
        "cannot print the result (No space left on device), so nothing was written; try again "
        "with another output"
    )
    told = (
        json.dumps({"error": message, "exit_code": 1}) if "--json" in flags else f"error: {message}"
    )
    assert (done.returncode, done.stderr) == (1, told + "\n")
    assert tree(here) == []


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_reader_that_has_read_enough_is_no_failure(
    tmp_path: Path, env: dict[str, str], template: Path, flags: list[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = (sys.executable, "-m", "torchgen_cli", "new", "x", "--source", str(template), *flags)
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=env,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "x/.git").is_dir()


def test_a_program_that_reads_the_report_finds_the_project(
    tmp_path: Path, env: dict[str, str], template: Path
) -> None:
    command = (sys.executable, "-m", "torchgen_cli", "new", "x", "--json", "--no-git")
    with subprocess.Popen(
        (*command, "--source", str(template)), cwd=tmp_path, env=env, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        result = json.loads(process.stdout.readline())
        assert (Path(result["path"]) / "x" / "train.py").exists()  # now, not a moment later


def on_a_disk_of(size: str, folder: Path, env: dict[str, str], *arguments: str) -> Done:
    """Runs `torchgen ...` in a folder that is a disk of its own, and lists what is there then."""
    script = (
        'mount -t tmpfs -o "size=$0" tmpfs . && cd "$PWD" && "$@"; status=$?; ls -A; exit $status'
    )
    command = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, size)
    return run(*command, *arguments, cwd=folder, env=env, check=False)


def may_mount(folder: Path) -> bool:
    if not shutil.which("unshare"):
        return False
    return on_a_disk_of("1m", folder, dict(os.environ), "true").returncode == 0


@pytest.mark.parametrize(
    ("size", "tiny"), [*((f"{n}k", True) for n in (4, 8, 12, 24, 32, 48)), ("40k", False)]
)
def test_a_full_disk_is_named_and_nothing_is_left(
    tmp_path: Path, env: dict[str, str], template: Path, size: str, tiny: bool
) -> None:
    if not may_mount(tmp_path):
        pytest.skip("needs to mount a disk of its own")
    disk = tmp_path / "disk"
    disk.mkdir()
    source = ("--source", str(template)) if tiny else ()  # at each stage, git's included
    command = (sys.executable, "-m", "torchgen_cli", "new", "a/x", *source)
    done = on_a_disk_of(size, disk, env, *command)
    assert done.returncode == 1
    assert "\na\n" not in f"\n{done.stdout}"  # not even the parent of the folder
    assert done.stderr.splitlines()[-1] == (
        f"error: the disk with {disk / 'a'} is full (No space left on device); free some "
        "space and try again"
    )
