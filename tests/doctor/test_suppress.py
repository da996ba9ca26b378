"""Rules that are switched off need a reason; what does not count is said."""

from pathlib import Path

import pytest
from tests.generator.conftest import Torchgen

from torchgen_cli.doctor.examine import examine

LOAD = "import torch\n\nstate = torch.load(  {first}\n    'uploads/a.pt',\n)  {last}\n"


def found(folder: Path, code: str) -> tuple[list[str], int]:
    """The rules that are found, and how many findings are ignored."""
    (folder / "train.py").write_text(code, encoding="utf-8")
    result = examine(folder)
    return [one.rule for one in result.findings], result.ignored


def test_a_comment_with_a_reason_switches_a_rule_off_on_its_line(tmp_path: Path) -> None:
    note = "# torchgen: ignore[TG601] a file of our own"
    assert found(tmp_path, LOAD.format(first=note, last="")) == ([], 1)
    assert found(tmp_path, LOAD.format(first="", last=note)) == ([], 1)
    both = "# torchgen: ignore[TG601, TG602] old files"
    assert found(tmp_path, LOAD.format(first=both, last="")) == (["TG003"], 1)
    above = found(tmp_path, f"{note}\n" + LOAD.format(first="", last=""))
    assert above == (["TG003", "TG601"], 0)


def test_a_comment_may_be_about_a_hint(tmp_path: Path) -> None:
    code = "def f(model, w):\n    model.load_state_dict(w, strict=False)"
    assert found(tmp_path, f"{code}  # torchgen: ignore[TG690] a head is missing\n") == ([], 1)


def test_another_rule_s_comment_does_not_count_for_this_one(tmp_path: Path) -> None:
    note = "# torchgen: ignore[TG602] a file of our own"
    assert sorted(found(tmp_path, LOAD.format(first=note, last=""))[0]) == ["TG003", "TG601"]


@pytest.mark.parametrize(
    "note", ["ignore[TG601]", "ignore[TG601] # noqa", "ignore[TG6] why", "ignore[] why"]
)
def test_a_comment_without_a_reason_or_rule_is_a_finding(note: str, tmp_path: Path) -> None:
    rules, ignored = found(tmp_path, LOAD.format(first=f"# torchgen: {note}", last=""))
    assert (rules, ignored) == (["TG002", "TG601"], 0) or rules == ["TG601", "TG002"]


def test_a_text_that_looks_like_the_comment_is_none(tmp_path: Path) -> None:
    code = "import torch\nx = torch.load('# torchgen: ignore[TG601] an upload')\n"
    assert found(tmp_path, code) == (["TG601"], 0)


def test_pyproject_switches_a_rule_off_for_the_project_and_its_folders(tmp_path: Path) -> None:
    table = '[tool.torchgen.doctor]\nignore = { TG601 = "our own files" }\n'
    (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
    assert found(tmp_path, LOAD.format(first="", last="")) == ([], 1)
    (tmp_path / "inner").mkdir()
    assert found(tmp_path / "inner", LOAD.format(first="", last="")) == ([], 1)


@pytest.mark.parametrize(
    ("table", "left"),
    [
        ('exclude = ["old"]', {"new/a.py"}),
        ('exclude = ["new/*.py", "old/"]', set()),
        ('select = ["TG4"]', set()),
        ('per-path-ignores = { "old/*" = { TG601 = "frozen code" } }', {"new/a.py"}),
        ('per-path-ignores = { "a.py" = { TG602 = "not this one" } }', {"new/a.py", "old/a.py"}),
    ],
)
def test_pyproject_says_what_is_checked_where(table: str, left: set[str], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchgen.doctor]\n{table}\n", "utf-8")
    (tmp_path / "b.py").touch()
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("import torch\ntorch.load('uploads/a')\n", "utf-8")
    assert {one.file for one in examine(tmp_path).findings} == left


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('ignore = { TG60 = "x" }', "no rule is called 'TG60'"),
        ('ignore = { TG601 = " " }', "ignores TG601 without a reason; add one"),
        ("ignore = { TG601 = true }", "ignores TG601 without a reason; add one"),
        ('ignore = ["TG601"]', 'takes ignore = { TG601 = "the reason" }'),
        ('excludes = ["a"]', "has no setting excludes; did you mean 'exclude'?"),
        ('exclude = "a"', 'takes exclude = ["...", "..."]'),
        ('select = ["TG77"]', "no rule is called 'TG77'"),
        ('per-path-ignores = { "a" = ["TG601"] }', 'takes a = { TG601 = "the reason" }'),
        ("ignore = {", "pyproject.toml: "),
    ],
)
def test_a_wrong_table_is_refused(
    table: str, message: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    (tmp_path / "a.py").touch()
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchgen.doctor]\n{table}\n", "utf-8")
    done = torchgen("doctor")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
