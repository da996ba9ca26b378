"""What docs/guarantees.md names as a proof is there."""

import re
from pathlib import Path

from .answers import ROOT

TEXT = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")


def test_each_test_that_the_page_names_is_in_a_project_or_in_this_repository(
    trees: dict[str, Path],
) -> None:
    named = set(re.findall(r"`(test_\w+)::(test_\w+)`", TEXT))
    folders = [*(tree / "tests" for tree in trees.values()), ROOT / "tests" / "faults"]
    there = {
        (path.stem, name)
        for folder in folders
        for path in folder.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 40
    assert named <= there, sorted(named - there)


def test_each_check_that_the_page_names_is_one_of_verify(trees: dict[str, Path]) -> None:
    named = set(re.findall(r"`verify (\w+)`", TEXT))
    sources = "".join(
        path.read_text(encoding="utf-8")
        for tree in trees.values()
        for path in tree.glob("*/verify/*.py")
    )
    assert named
    assert {name for name in named if f"def {name}(" not in sources} == set()
