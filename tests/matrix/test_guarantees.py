"""Each proof that docs/guarantees.md names is there."""

import re
from collections.abc import Mapping
from pathlib import Path

from .answers import ROOT, SETS, name_of, with_extras

PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")


def test_each_test_that_the_page_names_is_in_a_project_or_in_this_repository(
    extra_trees: Mapping[str, Path],
) -> None:
    project = extra_trees[name_of(with_extras(SETS[0], "verify"))]
    files = [*(project / "tests").rglob("test_*.py"), *(ROOT / "tests").rglob("test_*.py")]
    there = {
        (path.stem, name)
        for path in files
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    named = set(re.findall(r"`(test_\w+)::(test_\w+)`", PAGE))
    assert len(named) > 30
    assert named <= there, sorted(named - there)
    alone = set(re.findall(r"`(test_\w+)`", PAGE)) - {path.stem for path in files}
    assert alone <= {name for _, name in there}, sorted(alone)
    for name in re.findall(r"`(tests/[\w/.]+)`", PAGE):
        assert (ROOT / name).exists() or (project / name).exists(), name
