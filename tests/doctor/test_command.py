"""The command: what it prints, its exit codes, and what it leaves alone."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.generator.conftest import ROOT, Torchgen, tree

from torchgen_cli.doctor.rules import all_rules

BAD = "import torch\n\nstate = torch.load('a.pt')\nother = torch.load('b.pt')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two findings of one rule."""
    folder = tmp_path / "my project"
    folder.mkdir()
    (folder / "train.py").write_text(BAD, encoding="utf-8")
    return folder


def test_findings_are_lines_with_file_line_rule_and_remedy(
    project: Path, torchgen: Torchgen
) -> None:
    done = torchgen("doctor", str(project))
    rule = all_rules()["TG601"]
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"train.py:3: warning: TG601 {rule.title} (no weights_only) — {rule.remedy}",
        f"train.py:4: warning: TG601 {rule.title} (no weights_only)",
        "2 warnings in 1 file",
    ]
    assert done.stderr == ""


def test_a_clean_project_is_one_line_and_exit_0(tmp_path: Path, torchgen: Torchgen) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    done = torchgen("doctor")
    assert (done.returncode, done.stdout) == (0, "nothing found in 1 file\n")


def test_hints_are_shown_on_request_and_fail_nothing(tmp_path: Path, torchgen: Torchgen) -> None:
    (tmp_path / "a.py").write_text(all_rules()["TG490"].bad, encoding="utf-8")
    assert torchgen("doctor").stdout == "nothing found in 1 file\n"
    done = torchgen("doctor", "--hints")
    assert done.returncode == 0
    assert done.stdout.endswith("1 hint in 1 file\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "error: nowhere is not a folder; give the folder of a training repository"),
        (["file.py"], "error: file.py is not a folder; give the folder of a training repository"),
        (
            ["--json", "--sarif"],
            '{"error": "--json and --sarif cannot be combined; give one of them", "exit_code": 2}',
        ),
        (
            ["--explain", "TG6011"],
            "error: no rule is called 'TG6011'; did you mean 'TG601'?; "
            "torchgen doctor --rules lists them",
        ),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_2(
    arguments: list[str], message: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    (tmp_path / "file.py").touch()
    done = torchgen("doctor", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message + "\n")


def test_an_unknown_flag_is_exit_2(torchgen: Torchgen) -> None:
    assert torchgen("doctor", "--hint5").returncode == 2


def test_nothing_to_check_is_refused(tmp_path: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor")
    assert done.returncode == 1
    assert "no Python files of a project were found in ." in done.stderr


def test_the_project_is_neither_imported_nor_touched(project: Path, torchgen: Torchgen) -> None:
    (project / "side.py").write_text("open('imported', 'w')\nraise SystemExit(9)\n", "utf-8")
    before = tree(project)
    assert torchgen("doctor", str(project)).returncode == 1
    assert tree(project) == before


def test_json_has_every_finding_with_its_place(project: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor", str(project), "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert (found["ok"], found["files"], found["ignored"]) == (False, 1, 0)
    rule = all_rules()["TG601"]
    assert found["findings"][0] == {
        "rule": "TG601",
        "group": "checkpoint",
        "severity": "warning",
        "file": "train.py",
        "line": 3,
        "column": 9,
        "title": rule.title,
        "detail": "no weights_only",
        "remedy": rule.remedy,
    }
    assert [one["line"] for one in found["findings"]] == [3, 4]


def test_sarif_is_what_2_1_0_asks_for(project: Path, torchgen: Torchgen) -> None:
    (project / "two words.py").write_text("def f(:\n", encoding="utf-8")
    log = json.loads(torchgen("doctor", str(project), "--sarif").stdout)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(all_rules())
    assert all(
        rule["defaultConfiguration"]["level"] in ("error", "warning", "note") for rule in rules
    )
    assert len(run["results"]) == 3
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        base = run["originalUriBaseIds"][place["artifactLocation"]["uriBaseId"]]["uri"]
        assert base == project.as_uri() + "/"
        file = project / unquote(place["artifactLocation"]["uri"])
        lines = len(file.read_text(encoding="utf-8").splitlines())
        assert 1 <= place["region"]["startLine"] <= lines
        assert place["region"]["startColumn"] >= 1
    assert "two%20words.py" in json.dumps(run["results"])


def test_the_page_in_the_docs_is_up_to_date(torchgen: Torchgen) -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert torchgen("doctor", "--rules", "--markdown").stdout == page, (
        "run: torchgen doctor --rules --markdown > docs/rules.md"
    )


def test_each_rule_is_listed_and_explained(torchgen: Torchgen) -> None:
    listed = torchgen("doctor", "--rules").stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(all_rules())
    said = torchgen("doctor", "--explain", "tg601").stdout
    rule = all_rules()["TG601"]
    for part in (rule.title, rule.why, rule.remedy, rule.source, "weights_only=True)"):
        assert part in said


def test_what_is_no_part_of_the_project_is_left_out(
    project: Path, git: Callable[..., str], torchgen: Torchgen
) -> None:
    folders = (".venv", "venv", "build", ".hidden", "a/site-packages/b", "node_modules", "other")
    for folder in folders:
        (project / folder).mkdir(parents=True)
        (project / folder / "bad.py").write_text(BAD, encoding="utf-8")
    (project / "other" / "pyvenv.cfg").touch()
    assert torchgen("doctor", str(project)).stdout.endswith("2 warnings in 1 file\n")
    (project / "scratch").mkdir()
    (project / "scratch" / "bad.py").write_text(BAD, encoding="utf-8")
    (project / ".gitignore").write_text("scratch/\nother/\n", encoding="utf-8")
    git(project, "init", "--quiet")
    assert torchgen("doctor", str(project)).stdout.endswith("2 warnings in 1 file\n")


def test_tests_are_spared_what_makes_no_sense_there(project: Path, torchgen: Torchgen) -> None:
    (project / "train.py").unlink()
    (project / "tests").mkdir()
    (project / "tests" / "test_load.py").write_text(
        BAD + "torch.ger(state, state)\n", encoding="utf-8"
    )
    lines = torchgen("doctor", str(project)).stdout.splitlines()
    assert [line.split()[1:3] for line in lines] == [["warning:", "TG803"], ["warning", "in"]]


def test_a_script_called_test_py_is_no_test(project: Path, torchgen: Torchgen) -> None:
    (project / "train.py").rename(project / "test.py")
    assert torchgen("doctor", str(project)).returncode == 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xef\xbb\xbfimport torch\nx = torch.load('\xc3\xa4')\n", 2),
        (b"# -*- coding: latin-1 -*-\nimport torch\nx = torch.load('\xe4')\n", 3),
        (b"import torch\r\nx = torch.load('a')\r\n", 2),
        (b"import torch\nx = '\\d'; y = torch.load(x)", 2),
    ],
)
def test_encodings_and_line_ends(
    content: bytes, line: int, tmp_path: Path, torchgen: Torchgen
) -> None:
    (tmp_path / "a.py").write_bytes(content)
    done = torchgen("doctor")
    assert done.stdout.startswith(f"a.py:{line}: warning: TG601 ")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "content", [b"def f(:\n", b"x = '\xe4'\n", b"x = 1\0\n", b"(" * 5000, b"print 'hi'\n"]
)
def test_a_file_that_does_not_parse_is_a_finding_and_the_others_are_checked(
    content: bytes, project: Path, torchgen: Torchgen
) -> None:
    (project / "bad.py").write_bytes(content)
    done = torchgen("doctor", str(project))
    assert done.returncode == 1
    assert done.stdout.startswith("bad.py:1: error: TG001 ")
    assert done.stdout.count("TG601") == 2
    assert done.stderr == ""


def test_help_does_not_load_the_doctor(torchgen: Torchgen) -> None:
    done = torchgen("--help", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert "doctor" in done.stdout
    assert "torchgen_cli.doctor" not in done.stderr


def test_checking_needs_no_torch_and_no_copier(project: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor", str(project), env={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "torchgen_cli.doctor.examine" in imported
    assert not imported & {"torch", "copier", "jinja2", "numpy"}


def test_the_pre_commit_hook_names_a_command_that_there_is() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert "id: torchgen-doctor" in text
    assert "entry: torchgen doctor" in text
    assert "pass_filenames: false" in text
