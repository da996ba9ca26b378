"""A file is there whole or not at all; a lock keeps other processes out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy.base.files import atomic, lock, write_atomic
from toys import environment

OTHER = """
import sys
from pathlib import Path
from toy.base.files import lock
lock(Path(sys.argv[1]))
"""


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    with pytest.raises(ZeroDivisionError), atomic(path) as file:
        file.write(b"half")
        1 / 0  # noqa: B018
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_content_is_on_the_disk_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, fsync, replace = list[str](), os.fsync, os.replace

    def note(name: str, call: object) -> object:
        return lambda *args: (done.append(name), call(*args))[1]  # type: ignore[operator]

    monkeypatch.setattr(os, "fsync", note("fsync", fsync))
    monkeypatch.setattr(os, "replace", note("replace", replace))
    write_atomic(tmp_path / "file", b"new")
    assert done[:2] == ["fsync", "replace"]
    assert done[2:] == (["fsync"] if os.name == "posix" else [])


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="file") as caught, atomic(tmp_path / "file"):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(tmp_path / "file")


@pytest.mark.skipif(os.name != "posix", reason="Windows does not sync folders")
def test_a_file_system_that_cannot_sync_folders_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def refuse(handle: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{handle}"):
            raise OSError(22, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    write_atomic(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_lock_keeps_others_out_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lock"

    def other() -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-c", OTHER, str(path)]
        return subprocess.run(line, env=environment(), capture_output=True, text=True)

    with lock(path):
        assert "BlockingIOError" in other().stderr
    assert other().returncode == 0
