"""Proofs that docs/guarantees.md and docs/toolbox.md name are there, and no option is left out."""

import ast
import re
from pathlib import Path

from .answers import ROOT
from .renderings import PACKAGE

GUARANTEES = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
TOOLBOX = (ROOT / "docs" / "toolbox.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in TOOLBOX.splitlines()
    if line.startswith("| `")
]
OTHER_OPTIONS = {"config", "seed", "max_steps", "patience", "max_hours", "histograms"}


def all_tests(trees: dict[str, Path]) -> set[tuple[str, str]]:
    """Each test of the projects, and of what they survive here: its file and its name."""
    own = (ROOT / "tests" / name for name in ("faults", "cluster"))
    folders = [*(tree / "tests" for tree in trees.values()), *own]
    return {
        (path.stem, name)
        for folder in folders
        for path in folder.rglob("test_*.py")
        for name in re.findall(
            r"^def ((?:test|check)_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }


def settings_in(path: Path) -> set[str]:
    """The fields of all dataclasses in a file."""
    return {
        line.target.id
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }


def test_each_test_that_a_page_names_is_in_a_project_or_in_this_repository(
    trees: dict[str, Path],
) -> None:
    named = set(re.findall(r"`(test_\w+)::((?:test|check)_\w+)`", GUARANTEES + TOOLBOX))
    there = all_tests(trees)
    assert len(named) > 80
    assert named <= there, sorted(named - there)


def test_each_check_that_the_page_names_is_one_of_verify(trees: dict[str, Path]) -> None:
    named = set(re.findall(r"`verify (\w+)`", GUARANTEES))
    sources = "".join(
        path.read_text(encoding="utf-8")
        for tree in trees.values()
        for path in tree.glob("*/verify/*.py")
    )
    assert named
    assert {name for name in named if f"def {name}(" not in sources} == set()


def test_each_option_has_a_row_with_its_file_and_its_test(trees: dict[str, Path]) -> None:
    packages = [tree / PACKAGE for tree in trees.values()]
    assert [row for row in ROWS if len(row) != 4 or "::" not in row[3]] == []
    files = {file for row in ROWS for file in re.findall(r"`([\w/]+\.py)`", row[2])}
    assert [row for row in ROWS if not re.search(r"`[\w/]+\.py`", row[2])] == []
    there = {file for file in files if any((p / file).is_file() for p in packages)}
    assert files == there, sorted(files - there)
    flags = [flag for row in ROWS for flag in re.findall(r"`--([\w-]+)", row[0])]
    options = settings_in(packages[0] / "toolbox" / "settings.py") | OTHER_OPTIONS
    assert sorted(flags) == sorted(name.replace("_", "-") for name in options)
    tools = {path for package in packages for path in (package / "tools").glob("[!_]*.py")}
    commands = {f"tools/{p.name}" for p in tools if "cli.run(" in p.read_text("utf-8")}
    assert commands <= files
