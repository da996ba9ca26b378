"""A copy of the data on a local disk is whole, equal to the data, and shared."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import assert_same_run, environment, train_here

from toy.base.errors import DataError, FlagError
from toy.data import staging
from toy.data.staging import stage

Patch = pytest.MonkeyPatch

# says so once it has a copy
STAGE = """
import sys
from pathlib import Path
from toy.data.staging import stage
print(stage(Path(sys.argv[1]), Path(sys.argv[2])).place)
"""


@pytest.fixture(autouse=True)
def unsynced(monkeypatch: Patch) -> None:
    """No wait for whatever else the machine has to write."""
    monkeypatch.setattr(os, "sync", lambda: None, raising=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files at several depths, and an empty folder."""
    folder = tmp_path / "data"
    for number, name in enumerate(("a.bin", "train/x/1.png", "train/x/.empty", "val/y/2.png")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(bytes([number]) * 100 * number)
    (folder / "train/none").mkdir()
    (folder / ".partial").mkdir()  # of a `prepare` that is at work
    return folder


def content(folder: Path) -> dict[str, bytes | None]:
    """What lies in a folder, but for what is hidden right in it."""
    paths = [p for p in folder.rglob("*") if p.relative_to(folder).parts[0][0] != "."]
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() if p.is_file() else None for p in paths
    }


def copies(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_a_copy_has_all_that_the_data_has_and_is_used_again(
    source: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    place, line = stage(source, tmp_path / "local")
    assert place.parent == (tmp_path / "local").resolve()
    assert content(place) == content(source)
    assert line.startswith(f"stage   4 files, 0.0 MB, copied to {place} in ")
    monkeypatch.setattr(shutil, "copyfile", None)  # nothing is copied a second time
    again = stage(source, tmp_path / "local")
    assert again == (place, f"{line}, earlier")
    assert copies(tmp_path / "local") == [place.name]


def touch(path: Path) -> None:
    time = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(time, time))


@pytest.mark.parametrize("change", ["time", "size", "more", "less", "folder"])
def test_changed_data_is_copied_anew_beside_the_copy_that_others_may_read(
    source: Path, tmp_path: Path, change: str
) -> None:
    first = stage(source, tmp_path / "local").place
    before = content(first)
    image = source / "train/x/1.png"
    if change == "time":
        touch(image)
    elif change == "size":
        time = image.stat().st_mtime_ns
        image.write_bytes(b"longer than before" * 10)
        os.utime(image, ns=(time, time))
    elif change == "more":
        (source / "train/x/3.png").touch()
    elif change == "less":
        image.unlink()
    else:
        (source / "train/none").rmdir()
    second = stage(source, tmp_path / "local").place
    assert second != first
    assert content(second) == content(source)
    assert content(first) == before


@pytest.mark.parametrize("damage", ["less", "changed", "more", "no record"])
def test_a_copy_that_is_no_longer_as_it_was_made_is_not_used(
    source: Path, tmp_path: Path, damage: str
) -> None:
    first = stage(source, tmp_path / "local").place
    image = first / "train/x/1.png"
    if damage == "less":
        image.unlink()
    elif damage == "changed":
        touch(image)
    elif damage == "more":
        (first / "train/x/3.png").touch()
    else:
        (first / staging.RECORD).unlink()
    second = stage(source, tmp_path / "local").place
    assert second != first
    assert content(second) == content(source)
    assert stage(source, tmp_path / "local").place == second


class Interrupted(Exception):
    pass


def test_a_copy_that_was_not_finished_is_not_used(
    source: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    real = shutil.copyfile

    def interrupt(origin: Path, target: Path) -> None:
        if origin.name == "2.png":
            raise Interrupted
        real(origin, target)

    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(shutil, "copyfile", interrupt)
        stage(source, tmp_path / "local")
    assert copies(tmp_path / "local") == []
    name = stage(source, tmp_path / "other").place.name
    killed = tmp_path / "local" / f"{name}.partial"  # what a process leaves that is killed
    shutil.copytree(source, killed)
    (killed / "a.bin").write_bytes(b"half")
    (killed / "b.bin").touch()
    place = stage(source, tmp_path / "local").place
    assert content(place) == content(source)
    assert copies(tmp_path / "local") == [place.name] == [name]


def test_processes_that_start_together_share_one_copy(source: Path, tmp_path: Path) -> None:
    for number in range(300):
        (source / f"{number}.png").write_bytes(b"image" * number)
    script = tmp_path / "stage.py"
    script.write_text(STAGE, encoding="utf-8")
    line = [sys.executable, str(script), str(source), str(tmp_path / "local")]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(line, env=environment(), **pipes) for _ in range(3)]
    said = [process.communicate(timeout=100) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    (place,) = {out.strip() for out, _ in said}
    assert content(Path(place)) == content(source)
    assert copies(tmp_path / "local") == [Path(place).name]
    assert sum(err.count("copying 304 files") for _, err in said) == 1


def test_too_little_space_is_refused_with_both_numbers(
    source: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    (source / "large").write_bytes(bytes(3_000_000))
    usage = shutil._ntuple_diskusage(10_000_000, 8_000_000, 2_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(FlagError, match=r"has 2\.0 MB free, but .* takes 3\.0 MB"):
        stage(source, tmp_path / "local")
    assert copies(tmp_path / "local") == []


def test_a_folder_within_the_data_is_refused(source: Path) -> None:
    with pytest.raises(FlagError, match="would be copied into itself"):
        stage(source, source / "local")


def test_data_that_changes_while_it_is_copied_is_an_error(
    source: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    real = shutil.copyfile

    def change(origin: Path, target: Any) -> None:
        real(origin, target)
        if origin.name == "1.png":
            touch(origin)

    monkeypatch.setattr(shutil, "copyfile", change)
    with pytest.raises(DataError, match=r"1\.png has changed while --stage copied it"):
        stage(source, tmp_path / "local")
    assert copies(tmp_path / "local") == []


def test_a_run_may_stop_with_a_copy_and_go_on_without(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train_here(toy_data, tmp_path / "whole") == 0
    for number, folders in enumerate(((tmp_path / "local", None), (None, tmp_path / "local"))):
        run_dir = tmp_path / str(number)
        assert train_here(toy_data, run_dir, stage=folders[0], max_hours=1e-9) == 0
        assert train_here(toy_data, run_dir, stage=folders[1], resume=True) == 0
        assert_same_run(run_dir, tmp_path / "whole")
        settings = json.loads((run_dir / "config.json").read_text())
        assert settings["data_dir"] == str(toy_data)
    said = capsys.readouterr().out
    assert (said.count(", copied to "), said.count(" s, earlier\n")) == (2, 1)
