"""The command: what it prints and reads, its exit codes, and how a rule is switched off."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.generator.conftest import ROOT, Torchgen
from tests.matrix.answers import COVER, name_of

from torchgen_cli.doctor.checks import all_rules
from torchgen_cli.doctor.examine import examine

BAD = "from torch import nn\n\nnorm = nn.BatchNorm2d(\n    64, 0.8\n)\n"
SAMPLER = "from torch.utils.data import DistributedSampler\n\nsampler = DistributedSampler(data)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one finding."""
    (tmp_path / "my project").mkdir()
    (tmp_path / "my project" / "train.py").write_text(BAD, encoding="utf-8")
    return tmp_path / "my project"


def test_a_finding_is_a_place_a_rule_and_a_remedy(project: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor", str(project), env={"COLUMNS": "100"})
    rule = all_rules()["TG308"]
    said = f"TG308 error: {rule.title}\n  my project/train.py:3\n  Remedy: {rule.remedy}.\n\n"
    assert (done.returncode, done.stdout) == (1, f"{said}1 error in 1 file\n")
    wide = torchgen("doctor", str(project), env={"COLUMNS": "60"}).stdout.splitlines()
    assert max(map(len, wide)) <= 60


def test_a_file_is_read_with_its_repository_in_view(project: Path, torchgen: Torchgen) -> None:
    (project / "pyproject.toml").touch()
    (project / "data.py").write_text(SAMPLER, encoding="utf-8")
    assert torchgen("doctor", str(project / "data.py")).stdout.endswith("1 error in 1 file\n")
    (project / "loop.py").write_text("def go(s):\n    s.set_epoch(1)\n", encoding="utf-8")
    done = torchgen("doctor", str(project / "data.py"))
    assert (done.returncode, done.stdout) == (0, "nothing found in 1 file\n")


def test_the_standard_input_is_read(tmp_path: Path, env: dict[str, str]) -> None:
    line = [sys.executable, "-m", "torchgen_cli", "doctor", "-"]
    done = subprocess.run(
        line, input=BAD, env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "  -:3\n" in done.stdout) == (1, True)


def test_a_finding_in_a_notebook_names_its_cell(tmp_path: Path, torchgen: Torchgen) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Look"]},
        {"cell_type": "code", "source": ["%pylab\n", "!ls \\\n", "  -l\n", "from torch import nn"]},
        {"cell_type": "code", "source": ["%%bash\n", "rm -f x"]},
        {"cell_type": "code", "source": ["%%time\n", "x = !ls\n", "nn.BatchNorm1d(8, 0.9)"]},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (one,) = json.loads(torchgen("doctor", "a.ipynb", "--json").stdout)["findings"]
    assert (one["rule"], one["cell"], one["line"]) == ("TG308", 4, 3)
    assert "  a.ipynb:cell 4:3\n" in torchgen("doctor").stdout


def test_what_cannot_be_read_is_one_note_each(project: Path, torchgen: Torchgen) -> None:
    (project / "old.py").write_text("import torch; print 'loss', loss\n", encoding="utf-8")
    (project / "null.py").write_bytes(b"import torch\0")
    (project / "table.py").write_text("x = 1\n" * 200_000, encoding="utf-8")
    done = torchgen("doctor", str(project), "--json")
    told = json.loads(done.stdout)
    starts = ["skipped, as larger", "does not parse, so was", "does not parse, so was"]
    assert [note[: len(start)] for note, start in zip(told["notes"], starts, strict=True)] == starts
    assert (done.returncode, len(told["findings"]), told["files"]) == (1, 1, 3)


def test_sarif_has_every_rule_and_the_place(project: Path, torchgen: Torchgen) -> None:
    (run,) = json.loads(torchgen("doctor", str(project), "--sarif").stdout)["runs"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == set(all_rules())
    (one,) = run["results"]
    assert (one["ruleId"], one["level"]) == ("TG308", "error")
    place = one["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20project/train.py"
    assert place["region"] == {"startLine": 3, "startColumn": 8}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere is neither a file nor a folder"),
        (["notes.txt"], "notes.txt is not a Python file, notebook or folder"),
        (["empty"], "no Python files of a project were found in empty"),
        (["--select", "TG999"], "--select: no rule is called 'TG999'"),
        (["--explain", "TG30"], "no rule is called 'TG30'"),
        (["--json", "--sarif"], "--json and --sarif cannot be combined"),
        (["--run"], "--run needs a training command"),
    ],
)
def test_a_wrong_call_is_one_line(
    arguments: list[str], said: str, project: Path, torchgen: Torchgen
) -> None:
    (project / "empty").mkdir()
    (project / "notes.txt").touch()
    done = torchgen("doctor", *arguments, cwd=project)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_a_program_that_reads_gets_its_object_of_a_refusal(torchgen: Torchgen) -> None:
    told = json.loads(torchgen("doctor", "nowhere", "--json").stdout)
    assert (told["ok"], told["findings"], "nowhere" in told["error"]) == (False, [], True)
    (run,) = json.loads(torchgen("doctor", "nowhere", "--sarif").stdout)["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_select_takes_ids_and_beginnings_of_ids(project: Path, torchgen: Torchgen) -> None:
    assert torchgen("doctor", str(project), "--select", "TG4,TG308").returncode == 1
    assert torchgen("doctor", str(project), "--select", "TG4").returncode == 0


def test_the_docs_have_the_page_of_the_rules(torchgen: Torchgen) -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert torchgen("doctor", "--rules", "--markdown").stdout == page
    assert len(torchgen("doctor", "--rules").stdout.splitlines()) == len(all_rules())
    assert "    + norm = nn.BatchNorm2d" in torchgen("doctor", "--explain", "tg308").stdout


@pytest.mark.parametrize(
    ("comment", "ignored"),
    [
        ("# torchgen: ignore[TG308] as published", 1),
        ("# torchgen: ignore[TG308, TG311] as published", 1),
        ("# torchgen: ignore[TG311] as published", 0),
        ("# torchgen: ignore[TG308]", 0),
        ("# torchgen: ignore[TG308] # noqa", 0),
        ("# torchgen: ignore[TG30] as published", 0),
    ],
)
def test_a_comment_with_a_reason_ignores_a_rule(comment: str, ignored: int, tmp_path: Path) -> None:
    for line in ("nn.BatchNorm2d(", "\n)"):
        code = BAD.replace(line, f"{line}  {comment}")
        (tmp_path / "train.py").write_text(code, encoding="utf-8")
        result = examine([tmp_path])
        assert (result.ignored, len(result.findings)) == (ignored, 1 - ignored)
        refused = not ignored and "TG311" not in comment
        assert len(result.notes) == refused


@pytest.mark.parametrize(
    ("table", "left"),
    [
        ('exclude = ["old"]', {"new/a.py"}),
        ('exclude = ["new/*.py", "old/"]', set()),
        ('select = ["TG4"]', set()),
        ('ignore = { TG308 = "as published" }', set()),
        ('per-path-ignores = { "old/*" = { TG308 = "frozen" } }', {"new/a.py"}),
        ('per-path-ignores = { "a.py" = { TG311 = "other" } }', {"new/a.py", "old/a.py"}),
    ],
)
def test_pyproject_says_what_is_checked_where(
    table: str, left: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchgen.doctor]\n{table}\n", "utf-8")
    (tmp_path / "b.py").touch()
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(BAD, encoding="utf-8")
    assert {one.file for one in examine([tmp_path]).findings} == left


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('ignore = { TG60 = "x" }', "no rule is called 'TG60'"),
        ('ignore = { TG308 = " " }', "ignores TG308 without a reason; add one"),
        ('ignore = ["TG308"]', 'takes ignore = { TG602 = "the reason" }'),
        ('excludes = ["a"]', "has no setting excludes; did you mean 'exclude'?"),
        ('exclude = "a"', 'takes exclude = ["...", "..."]'),
        ("ignore = {", "pyproject.toml: "),
    ],
)
def test_a_wrong_table_is_refused(table: str, said: str, project: Path, torchgen: Torchgen) -> None:
    (project / "pyproject.toml").write_text(f"[tool.torchgen.doctor]\n{table}\n", "utf-8")
    done = torchgen("doctor", cwd=project)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_checking_imports_neither_torch_nor_copier(project: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor", str(project), env={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "torchgen_cli.doctor.examine" in imported
    assert not imported & {"torch", "copier", "jinja2", "numpy"}


@pytest.mark.parametrize("name", [name_of(answers) for answers in COVER])
def test_what_torchgen_writes_has_no_finding(name: str, trees: dict[str, Path]) -> None:
    result = examine([trees[name]])
    assert (result.findings, result.notes) == ([], [])
