"""Nothing is found where nothing is wrong: in tricky snippets, and in what torchgen writes."""

from pathlib import Path

import pytest
from tests.matrix.answers import COVER, SETS, name_of

from torchgen_cli.doctor.examine import examine

from .clean import CLEAN


@pytest.mark.parametrize("what", CLEAN)
def test_a_clean_snippet_has_no_finding(what: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CLEAN[what], encoding="utf-8")
    compile(CLEAN[what], what, "exec")
    assert examine(tmp_path).findings == []


# where each two choices meet; a scheduled run takes the others
@pytest.mark.parametrize(
    "name",
    [pytest.param(name_of(a), marks=[] if a in COVER else pytest.mark.scheduled) for a in SETS],
)
def test_a_generated_project_has_no_finding_and_no_hint(
    name: str,
    trees: dict[str, Path],
) -> None:
    result = examine(trees[name], hints=True)
    assert result.files > 40
    assert result.findings == []
