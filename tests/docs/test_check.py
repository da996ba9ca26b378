"""docs/check.py finds each kind of mistake, and names it in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from generator.conftest import ROOT

MENU = '[project]\ndocs_dir = "docs"\nsite_dir = ".site"\nnav = [{ A = [{ B = "index.md" }] }]\n'
GOOD = (
    "# A page\n\n## In `code`, and more\n\n[x](index.md#in-code-and-more) [y](https://x.invalid)\n"
)
CASES = {
    "a file that is not there": ("[x](other.md)", "docs/index.md: no such file: other.md"),
    "a picture that is not there": ("![x](x.png)", "docs/index.md: no such file: x.png"),
    "a heading that is not there": ("[x](#no)", "docs/index.md: no such heading: #no"),
    "a heading of the README": (
        "[x](docs/index.md#no)",
        "README.md: no such heading: docs/index.md#no",
    ),
    "a file that is not published": (
        "[x](../README.md)",
        "docs/index.md: ../README.md is not in docs/, so the site does not have it",
    ),
    "a table": ("| a |\n|---|\n| [x](no.md) |", "docs/index.md: no such file: no.md"),
}


def check(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "check.py"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A site of one page, without a mistake."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "zensical.toml").write_text(MENU)
    (tmp_path / "docs" / "index.md").write_text(GOOD)
    (tmp_path / "README.md").write_text("[x](docs/index.md#a-page)\n")
    (tmp_path / "CONTRIBUTING.md").write_text("# Contributing\n")
    assert check(tmp_path) == (0, "")
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_a_dead_link_is_one_line(case: str, folder: Path) -> None:
    text, line = CASES[case]
    page = folder / line.partition(":")[0]
    page.write_text(f"{page.read_text()}\n{text}\n")
    assert check(folder) == (1, f"{line}\n")


def test_a_page_that_no_menu_leads_to_is_one_line(folder: Path) -> None:
    (folder / "docs" / "alone.md").write_text("# Alone\n")
    line = "docs/alone.md: no menu leads to it; add it to nav in zensical.toml\n"
    assert check(folder) == (1, line)


@pytest.mark.parametrize("target", ["gone.md", "explore/"])
def test_a_menu_that_leads_nowhere_is_one_line(target: str, folder: Path) -> None:
    text = MENU.replace('"index.md"', f'"index.md" }}, {{ C = "{target}"')
    (folder / "zensical.toml").write_text(text)
    where = "docs" if target.endswith(".md") else ".site"
    line = f"zensical.toml: the menu names {target}, which is not in {where}/\n"
    assert check(folder) == (1, line)


def test_a_page_that_a_folder_of_the_site_replaces_is_one_line(folder: Path) -> None:
    text = MENU.replace('"index.md"', '"index.md" }, { C = "explore.md" }, { D = "explore/"')
    (folder / "zensical.toml").write_text(text)
    (folder / "docs" / "explore.md").write_text("# Explore\n")
    (folder / ".site" / "explore").mkdir(parents=True)
    (folder / ".site" / "explore" / "index.html").write_text("<html></html>")
    line = "zensical.toml: explore/ replaces the page explore.md; rename that\n"
    assert check(folder) == (1, line)
