"""The images that `predict` looks at: files, folders, and names from the standard input."""

import io
import sys
from pathlib import Path

import pytest

from toy.base.errors import DataError
from toy.data.loose import files_in


def test_names_are_read_from_the_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(given: str) -> list[Path]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        return files_in([Path("first.png"), Path("-")])

    for name in ("b.png", "a.JPG", "notes.txt"):
        (tmp_path / name).touch()
    names = f"no such file é.png\n\n{tmp_path}\r\n"
    inside = [tmp_path / "a.JPG", tmp_path / "b.png"]
    assert found(names) == [Path("first.png"), Path("no such file é.png"), *inside]
    with pytest.raises(DataError, match="names no image"):
        found("\n")
