"""The check of the data says what it found, shows it, and ends with 1 where something is wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import call, spoil

from toy.base.errors import UserError
from toy.data.alike import mark_of
from toy.data.findings import Finding, Split
from toy.tools import check_data
from toy.tools.check_data import CheckConfig, main, write_page


def split_of(folder: Path) -> Split:
    """Two images, whose class and files have names that HTML would take for its own."""
    pixels = np.arange(2 * 8 * 8 * 3, dtype=np.uint8).reshape(2, 8, 8, 3)
    return Split(
        "val",
        np.array([0, 0]),
        ["<b>cat</b>"],
        lambda: map(mark_of, pixels),
        pixels.__getitem__,
        lambda index: str(folder / f"{index}<i>.png"),
        files=True,
    )


def test_the_page_shows_the_samples_of_each_finding(tmp_path: Path) -> None:
    groups = [[("val", 0), ("val", 1)]] * (check_data.GROUPS + 3)
    finding = Finding("copy", False, "4 > 3", groups)
    write_page(tmp_path / "new" / "page.html", [finding], [split_of(tmp_path)], "data")
    page = (tmp_path / "new" / "page.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 2 * check_data.GROUPS
    assert "4 &gt; 3" in page and "and 3 more" in page
    assert "&lt;b&gt;cat&lt;/b&gt;" in page and "<i>" not in page
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        write_page(tmp_path / "file" / "page.html", [], [split_of(tmp_path)], "data")


def test_the_exit_code_says_whether_something_is_wrong(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    assert call(main, CheckConfig(data_dir=toy_data, out=out)) == 0
    assert "Nothing was found" in out.read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("nothing was found\n")
    bad = spoil(toy_data, tmp_path / "bad", train=[3])
    assert call(main, CheckConfig(data_dir=bad, out=out, json=True)) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["kind"], finding["groups"]) == ("unreadable", [[["train", 3]]])
