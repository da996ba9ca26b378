"""`prepare` fills the data folder completely or not at all.

It is yours to change with the data format, in `data/storage.py`.
"""

import dataclasses
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from drawn import write_source

from myproj.base.errors import DataError, UserError
from myproj.data import convert, fill
from myproj.data.source import scan
from myproj.data.storage import Reader, split_path
from myproj.prepare import PrepareConfig, main

TEXTS = [f"text {number} " * (number % 4 + 1) for number in range(30)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Thirty texts."""
    write_source(tmp_path / "source", TEXTS)
    return tmp_path / "source"


def texts(data_dir: Path, split: str) -> list[str]:
    reader = Reader(split_path(data_dir, split))
    return [bytes(text).rstrip(b"\0").decode() for text in reader.read(np.arange(len(reader)))]


def everything(data_dir: Path) -> dict[str, bytes]:
    """Each file below the folder with its content."""
    files = (path for path in data_dir.rglob("*") if path.is_file())
    return {str(path.relative_to(data_dir)): path.read_bytes() for path in files}


def test_each_text_of_the_source_is_in_one_split(source: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert main(PrepareConfig(source=source, data_dir=data)) == 0
    assert sorted(texts(data, "train") + texts(data, "val")) == sorted(TEXTS)
    assert len(Reader(split_path(data, "val")).targets) == 6


def test_the_same_command_makes_the_same_data(source: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        main(PrepareConfig(source=source, data_dir=tmp_path / name, seed=seed))
    validation = [texts(tmp_path / name, "val") for name in "abc"]
    assert validation[0] == validation[1] != validation[2]


def test_complete_data_is_left_alone_until_forced(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    main(PrepareConfig(source=source, data_dir=data))
    before = everything(data)
    capsys.readouterr()
    assert main(PrepareConfig(source=source, data_dir=data, seed=1)) == 0
    assert everything(data) == before
    assert "is complete: 24 texts to train and 6 to validate" in capsys.readouterr().out
    assert main(PrepareConfig(source=source, data_dir=data, seed=1, force=True)) == 0
    assert everything(data) != before
    assert len(os.listdir(data)) == 3


def test_complete_data_of_another_source_is_not_taken_for_it(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, moved = tmp_path / "data", tmp_path / "moved"
    main(PrepareConfig(source=source, data_dir=data))
    before = everything(data)
    shutil.copytree(source, moved)
    words = f"was prepared from --source {source}"
    with pytest.raises(UserError, match=re.escape(words)):
        main(PrepareConfig(demo=True, data_dir=data))
    capsys.readouterr()
    assert main(PrepareConfig(source=moved, data_dir=data)) == 0  # perhaps under another name
    assert f"It {words}." in capsys.readouterr().out
    assert everything(data) == before
    (data / fill.ORIGIN).unlink()  # data that someone brought along
    assert main(PrepareConfig(source=moved, data_dir=data)) == 0
    assert "prepared from" not in capsys.readouterr().out
    assert main(PrepareConfig(source=moved, data_dir=data, force=True)) == 0
    assert fill.origin_of(data) == f"--source {moved}"


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("step", range(7))
def test_a_run_cut_off_at_any_move_is_made_good_by_the_next(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    data = tmp_path / "data"
    main(PrepareConfig(source=source, data_dir=data, seed=0))
    old = [texts(data, split) for split in ("train", "val")]
    moves = iter(range(100))

    def move(origin: Path, target: Path) -> None:
        if next(moves) == step:
            raise Killed
        shutil.move(origin, target)

    with monkeypatch.context() as patch:
        patch.setattr(fill.os, "replace", move)
        try:
            main(PrepareConfig(source=source, data_dir=data, seed=1, force=True))
        except Killed:
            assert step < 6
    there = [s for s in ("train", "val") if split_path(data, s).exists()]
    if len(there) == 2:  # never an old one beside a new one
        assert step in (0, 1, 5, 6)
        assert ([texts(data, split) for split in there] == old) == (step < 2)
    assert main(PrepareConfig(source=source, data_dir=data, seed=1)) == 0
    assert len(texts(data, "train") + texts(data, "val")) == 30
    assert not set(texts(data, "train")) & set(texts(data, "val"))
    assert len(os.listdir(data)) == 3


def unsynced(path: Path, synced: dict[int, tuple[int, int]]) -> list[str]:
    """The files at or below a path that have changed since they were synced."""
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    bad = []
    for file in files:
        status = file.stat()
        if file.is_file() and synced.get(status.st_ino) != (status.st_size, status.st_mtime_ns):
            bad.append(str(file))
    return bad


@pytest.mark.skipif(os.name == "nt", reason="Windows has no sync of folders, nor of everything")
@pytest.mark.parametrize("damaged", [0, 3])
def test_everything_is_on_the_disk_before_it_gets_its_name(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: int
) -> None:
    data, renamed, last = tmp_path / "data", list[str](), [""]
    synced: dict[int, tuple[int, int]] = {}  # size and time of each file and folder, by inode
    fsync, sync, replace = os.fsync, os.sync, os.replace

    def note(status: os.stat_result) -> None:
        synced[status.st_ino] = status.st_size, status.st_mtime_ns

    def note_fsync(handle: int) -> None:
        fsync(handle)
        note(os.fstat(handle))
        last[0] = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"

    def note_sync() -> None:
        sync()
        for path in data.rglob("*"):
            note(path.stat())

    def note_replace(origin: Path, target: Path) -> None:
        assert unsynced(Path(origin), synced) == []
        if Path(origin).name == "whole":
            status = Path(origin).stat()
            assert synced.get(status.st_ino) == (status.st_size, status.st_mtime_ns)
        replace(origin, target)
        renamed.append(Path(target).name)
        last[0] = "name"

    damage(source, damaged)
    for name, watched in (("fsync", note_fsync), ("sync", note_sync), ("replace", note_replace)):
        monkeypatch.setattr(os, name, watched)
    main(PrepareConfig(source=source, data_dir=data, skip_bad=True))
    names = [split_path(data, split).name for split in ("train", "val")]
    assert renamed[-4:] == [".ready", *names, fill.ORIGIN]
    assert last == ["folder"]


# a run that stops for a while when a split is written
SLOW_RUN = """
import time
from myproj import prepare
from myproj.data import storage

def write(*given):
    whole(*given)
    time.sleep(60)

whole, storage.write = storage.write, write
prepare.cli.run(prepare.main, prepare.cli.parse(prepare.PrepareConfig))
"""


@pytest.fixture
def started(source: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that is in the midst of writing."""
    data = tmp_path / "data"
    command = [sys.executable, "-c", SLOW_RUN, "--source", str(source), "--data-dir", str(data)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        while not list(data.glob(".partial-*/whole/train*")) and process.poll() is None:
            time.sleep(0.01)
        yield process


def test_a_killed_run_is_begun_anew(
    started: subprocess.Popen[str], source: Path, tmp_path: Path
) -> None:
    started.kill()
    started.wait()
    data = tmp_path / "data"
    assert not split_path(data, "train").exists()
    assert main(PrepareConfig(source=source, data_dir=data)) == 0
    assert len(texts(data, "train") + texts(data, "val")) == 30
    assert len(os.listdir(data)) == 3


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_ctrl_c_ends_with_one_line_and_nothing_left(
    started: subprocess.Popen[str], tmp_path: Path
) -> None:
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate()
    assert started.returncode == 130
    assert errors == "interrupted: run the same command to start over\n"
    assert not (tmp_path / "data").exists()


def damage(source: Path, count: int) -> list[str]:
    """Make the first texts of the table unreadable; returns where they are."""
    write_source(source, [*[" "] * count, *TEXTS[count:]])
    tree = scan(source)
    return [tree.path(index) for index in range(count)]


def test_unreadable_texts_are_named_and_nothing_is_written(source: Path, tmp_path: Path) -> None:
    damaged = damage(source, 2)
    with pytest.raises(DataError) as error:
        main(PrepareConfig(source=source, data_dir=tmp_path / "data"))
    lines = sorted(str(error.value).splitlines())
    assert all(f"  {place}: the text is empty" in lines for place in damaged)
    assert "nothing was written because of 2 unreadable texts:" in lines
    assert "Fix or remove them, or leave them out with --skip-bad." in lines
    assert not (tmp_path / "data").exists()


def test_skip_bad_goes_on_without_them(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    damaged = damage(source, 4)
    assert main(PrepareConfig(source=source, data_dir=data, skip_bad=True)) == 0
    output = capsys.readouterr().out
    assert "Left out 4 unreadable texts:" in output
    assert all(f"  {place}: " in output for place in damaged)
    assert sorted(texts(data, "train") + texts(data, "val")) == sorted(TEXTS[4:])


def test_a_split_on_its_own_is_not_overwritten(source: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    main(PrepareConfig(source=source, data_dir=data))
    split_path(data, "val").rename(tmp_path / "aside")
    before = everything(data)
    with pytest.raises(DataError, match="is there without the other split"):
        main(PrepareConfig(source=source, data_dir=data))
    assert everything(data) == before


def test_a_missing_source_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere.*: No such file or directory"):
        main(PrepareConfig(source=tmp_path / "nowhere", data_dir=tmp_path / "data"))
    assert not (tmp_path / "data").exists()


def prepared(source: Path, data: Path, **settings: Any) -> Path:
    assert main(PrepareConfig(source=source, data_dir=data, **settings)) == 0
    return data


def check_demo(source: Path, data: Path) -> None:
    assert main(PrepareConfig(demo=True, data_dir=data)) == 0
    assert len(texts(data, "train")) > len(TEXTS)


def check_source(source: Path, data: Path) -> None:
    assert set(texts(prepared(source, data), "val")) < set(TEXTS)


def check_data_dir(source: Path, data: Path) -> None:
    prepared(source, data / "elsewhere")
    assert os.listdir(data) == ["elsewhere"]


def check_val_fraction(source: Path, data: Path) -> None:
    for fraction, count in ((0.1, 3), (0.5, 15)):
        prepared(source, data / str(count), val_fraction=fraction)
        assert len(texts(data / str(count), "val")) == count


def check_seed(source: Path, data: Path) -> None:
    one, other = (texts(prepared(source, data / str(s), seed=s), "val") for s in (0, 1))
    assert one != other


def check_force(source: Path, data: Path) -> None:
    before = everything(prepared(source, data))
    assert everything(prepared(source, data, seed=1)) == before
    assert everything(prepared(source, data, seed=1, force=True)) != before


def check_skip_bad(source: Path, data: Path) -> None:
    damage(source, 2)
    with pytest.raises(DataError, match="2 unreadable texts"):
        prepared(source, data)
    prepared(source, data, skip_bad=True)
    assert len(texts(data, "train") + texts(data, "val")) == 28


def check_check(source: Path, data: Path) -> None:
    write_source(source.with_name("twice"), [text for text in TEXTS for _ in range(2)])
    for found, code in ((source, 0), (source.with_name("twice"), 1)):
        config = PrepareConfig(source=found, data_dir=data / found.name, check=True)
        assert [main(config), main(config)] == [code, code]  # the second time it is there
        assert main(dataclasses.replace(config, check=False)) == 0


def check_max_length(source: Path, data: Path) -> None:
    for length in (512, 5):
        reader = Reader(
            split_path(prepared(source, data / str(length), max_length=length), "train")
        )
        assert reader.shape == (min(length, max(map(len, TEXTS))),)


SLOW = {"demo"}  # reads a part of Python's library
FIELDS = [
    pytest.param(field.name, marks=[pytest.mark.slow] if field.name in SLOW else [])
    for field in dataclasses.fields(PrepareConfig)
    if field.name != "leaves"  # of classes: see test_source.py
]


@pytest.mark.parametrize("name", FIELDS)
def test_each_setting_changes_what_it_says(name: str, source: Path, tmp_path: Path) -> None:
    check = globals().get(f"check_{name}")
    assert check, f"--{name} has no check_{name} here"
    check(source, tmp_path / "data")


def test_wrong_flags_are_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one of --demo and --source DIR is needed"):
        PrepareConfig()
    with pytest.raises(ValueError, match="one of --demo and --source DIR is needed"):
        PrepareConfig(demo=True, source=tmp_path)
    for fraction in (0, 1, -0.1, float("nan")):
        with pytest.raises(ValueError, match="--val-fraction must be above 0 and below 1"):
            PrepareConfig(demo=True, val_fraction=fraction)
    for source, data in (("x", "x"), ("x", "x/data"), ("x/source", "x"), (".", "x")):
        with pytest.raises(ValueError, match="lie within each other"):
            PrepareConfig(source=Path(source), data_dir=Path(data))
    with pytest.raises(ValueError, match="--max-length must be at least 1, not 0"):
        PrepareConfig(demo=True, max_length=0)


def test_the_lengths_and_the_one_that_is_stored_are_said(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_source(source, ["ü" * 10, "aü", *["abc" * 3] * 10])
    prepared(source, tmp_path / "whole")
    said = "\ntexts have 3 to 20 bytes, half of them up to 9\n"
    assert said in capsys.readouterr().out
    prepared(source, tmp_path / "cut", max_length=8)
    assert f"{said[:-1]}; 11 are cut to 8 (--max-length)\n" in capsys.readouterr().out
    both = texts(tmp_path / "cut", "train") + texts(tmp_path / "cut", "val")
    assert sorted(both) == sorted(["üüüü", "aü", *["abcabcab"] * 10])


def test_texts_larger_than_the_disk_are_refused_at_once(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convert.shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
    with pytest.raises(DataError, match="are free: choose a smaller --max-length"):
        main(PrepareConfig(source=source, data_dir=tmp_path / "data"))
    assert not (tmp_path / "data").exists()
