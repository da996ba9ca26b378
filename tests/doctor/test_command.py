"""The command: what it prints, its exit codes, and what it leaves alone."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from tests.generator.conftest import ROOT, Torchgen, tree

from torchgen_cli.doctor.rules import all_rules

BAD = "import torch\n\nstate = torch.load('uploads/a.pt')\nother = torch.load('uploads/b.pt')\n"


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
    start = [
        f"TG601 warning: {rule.title}",
        "  train.py:3: no weights_only, and in 1 more place: --hints shows them",
    ]
    head, end = done.stdout.split("\n\n")
    lines = head.splitlines()
    assert lines[:2] == start
    assert " ".join(line.strip() for line in lines[2:]) == f"Remedy: {rule.remedy}."
    assert end == "2 warnings in 1 file\n"
    assert done.stderr == ""
    each = torchgen("doctor", str(project), "--hints").stdout.splitlines()
    assert each[1:3] == ["  train.py:3: no weights_only", "  train.py:4: no weights_only"]


def test_copies_of_a_place_are_told_by_the_first(project: Path, torchgen: Torchgen) -> None:
    for name, code in (
        ("a.py", "print(aps)"),
        ("b.py", "\f# a page break, which ends no line of Python\nprint(aps)"),
        ("train.py", "print(1, aps)"),
    ):
        (project / name).write_text(f"{code}\n", encoding="utf-8")
    lines = torchgen("doctor", str(project)).stdout.splitlines()
    assert lines[1:3] == [
        "  a.py:1: aps, and in 1 more place: --hints shows them",
        "  train.py:1: aps",
    ]
    assert "  b.py:2: aps" in torchgen("doctor", str(project), "--hints").stdout


@pytest.mark.parametrize("width", ["80", "120"])
def test_lines_fit_the_terminal_and_the_worst_rule_comes_first(
    width: str, project: Path, env: dict[str, str], torchgen: Torchgen
) -> None:
    (project / "more.py").write_text(
        "".join(all_rules()[id].bad for id in ("TG409", "TG306", "TG401")), encoding="utf-8"
    )
    env["COLUMNS"] = width
    lines = torchgen("doctor", str(project)).stdout.splitlines()
    assert max(map(len, lines)) <= int(width)
    heads = [line.split()[:2] for line in lines if line.startswith("TG")]
    assert heads == [
        ["TG306", "error:"],
        ["TG401", "error:"],
        ["TG409", "warning:"],
        ["TG601", "warning:"],
    ]


def test_a_file_is_judged_with_its_repository_in_view(project: Path, torchgen: Torchgen) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "nets"\n', encoding="utf-8")
    (project / "README.md").write_text("    pip install nets\n", encoding="utf-8")
    bad = all_rules()["TG202"].bad
    (project / "data.py").write_text(bad, encoding="utf-8")
    done = torchgen("doctor", str(project / "data.py"))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "1 error in 1 file")
    (project / "loop.py").write_text("def go(s):\n    s.set_epoch(1)\n", encoding="utf-8")
    assert torchgen("doctor", str(project / "data.py")).stdout == "nothing found in 1 file\n"
    both = json.loads(torchgen("doctor", *map(str, project.glob("*.py")), "--json").stdout)
    assert both["files"] == 3
    assert {Path(one["file"]).name for one in both["findings"]} == {"train.py"}


def test_several_folders_are_told_apart(project: Path, tmp_path: Path, torchgen: Torchgen) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "train.py").write_text(BAD, encoding="utf-8")
    said = torchgen("doctor", "other", project.name, "--hints").stdout
    for folder in ("other", project.name):
        assert f"  {folder}/train.py:3: no weights_only\n" in said


def test_a_rule_that_fails_is_named_and_the_others_are_checked(
    project: Path, torchgen: Torchgen
) -> None:
    deep = "+".join(["a"] * 700)  # too deep for `ast.unparse`, which a rule calls
    code = (
        f"\nimport torch\n\ndef save(model, a):\n    torch.save(model.state_dict(), str({deep}))\n"
    )
    (project / "train.py").write_text(all_rules()["TG306"].bad + code, encoding="utf-8")
    done = torchgen("doctor", str(project), "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert [one["rule"] for one in told["findings"]] == ["TG306"]
    assert [note.partition(" (")[0] for note in told["notes"]] == ["TG620 failed on train.py"]
    assert "please report" in told["notes"][0] and done.stderr == ""


def test_the_standard_input_is_read(tmp_path: Path, env: dict[str, str]) -> None:
    line = [sys.executable, "-m", "torchgen_cli", "doctor", "-"]
    done = subprocess.run(
        line, input=BAD, env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "  -:3: no weights_only" in done.stdout) == (1, True)


def test_a_notebook_s_finding_names_its_cell(tmp_path: Path, torchgen: Torchgen) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Look"]},
        {
            "cell_type": "code",
            "source": ["%pylab\n", "!ls \\\n", "  -l\n", "import torch"],
        },
        {"cell_type": "code", "source": ["%%bash\n", "rm -f x"]},
        {"cell_type": "code", "source": ["%%time\n", "x = 1\n", "torch.load('uploads/a')"]},
        {"cell_type": "code", "source": ["  # IPython takes off an indent\n", "  x = 2"]},
        {"cell_type": "code", "source": ["cd ..\n", "pip install torch\n", "rm = 2"]},
        {"cell_type": "code", "source": ["files, n = !ls\n", "print(\n", "    'r=%.2f' % 1)"]},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (one,) = json.loads(torchgen("doctor", "a.ipynb", "--json").stdout)["findings"]
    assert (one["rule"], one["cell"], one["line"]) == ("TG601", 4, 3)
    assert "  a.ipynb:cell 4:3: no weights_only\n" in torchgen("doctor").stdout
    (tmp_path / "a.ipynb").write_text("[]", encoding="utf-8")
    assert "TG001" in torchgen("doctor").stdout


def test_what_a_program_wrote_is_passed_over_with_a_word(project: Path, torchgen: Torchgen) -> None:
    (project / "table.py").write_text("x = 1\n" * 200_000 + BAD, encoding="utf-8")
    (project / "made.py").write_text("# Generated by protoc. DO NOT EDIT.\n" + BAD, "utf-8")
    lines = torchgen("doctor", str(project)).stdout.splitlines()
    assert "skipped, as generated: made.py, table.py" in lines
    assert lines[-1] == "2 warnings in 1 file"


def test_a_file_that_is_passed_over_is_named(project: Path, torchgen: Torchgen) -> None:
    table = '[tool.torchgen.doctor]\nexclude = ["old"]\n'
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    (project / "old").mkdir()
    for name, head in (("old/a.py", ""), ("made.py", "# @generated\n")):
        (project / name).write_text(head + BAD, encoding="utf-8")
        done = torchgen("doctor", str(project / name))
        assert (done.returncode, done.stdout.splitlines()) == (
            0,
            [
                f"skipped, as excluded, ignored by git, or generated: {name}",
                "nothing found in 0 files",
            ],
        )


@pytest.mark.parametrize("flags", [["--diff", "HEAD"], ["--fix"]])
def test_what_needs_files_refuses_the_standard_input(
    flags: list[str], tmp_path: Path, env: dict[str, str]
) -> None:
    line = [sys.executable, "-m", "torchgen_cli", "doctor", "-", *flags]
    done = subprocess.run(
        line, input=BAD, env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = f"error: {flags[0]} needs files, not the standard input\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_only_changed_lines_are_shown(
    project: Path, git: Callable[..., str], torchgen: Torchgen
) -> None:
    git(project, "init", "--quiet")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "first")
    assert torchgen("doctor", str(project), "--diff", "HEAD").returncode == 0
    (project / "train.py").write_text("\n" + BAD + "third = torch.load('uploads/c.pt')\n", "utf-8")
    (project / "new.py").write_text(BAD, encoding="utf-8")
    done = torchgen("doctor", str(project), "--diff", "HEAD", "--json")
    found = json.loads(done.stdout)["findings"]
    places = [(one["file"], one["line"]) for one in found]
    assert places == [("new.py", 3), ("new.py", 4), ("train.py", 6)]
    refused = torchgen("doctor", str(project), "--diff", "nowhere")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_a_baseline_keeps_what_is_known_though_lines_move(
    project: Path, torchgen: Torchgen
) -> None:
    asked = ("doctor", str(project), "--baseline", "known.json")
    assert torchgen(*asked).returncode == 2
    assert torchgen("doctor", str(project), "--write-baseline", "known.json").returncode == 0
    (project / "train.py").write_text("\n\n" + BAD, encoding="utf-8")
    assert torchgen(*asked).stdout == "nothing found in 1 file, 2 ignored\n"
    (project / "train.py").write_text(BAD + "torch.load('uploads/a.pt')\n", encoding="utf-8")
    assert "train.py:5: no weights_only" in torchgen(*asked).stdout
    (project / "train.py").write_text("import torch\n", encoding="utf-8")
    assert "2 of its findings are gone" in torchgen(*asked).stdout


FIXABLE = """import torch
from torch.nn import init

state = torch.load(
    "uploads/a.pt",
    map_location="cpu",
)
other = torch.load("uploads/b.pt")  # ä
kept = torch.load("uploads/c.pt")  # torchgen: ignore[TG601] holds a config
for p in state:
    p.require_grad = False; init.constant(p, 0)
"""
FIXED = (
    FIXABLE.replace('"cpu",\n)', '"cpu",\nweights_only=True)')
    .replace('b.pt")', 'b.pt", weights_only=True)')
    .replace("require_grad", "requires_grad")
    .replace("constant(", "constant_(")
)


def test_what_has_one_remedy_is_mended_as_a_diff_first(project: Path, torchgen: Torchgen) -> None:
    (project / "train.py").write_text(FIXABLE, encoding="utf-8")
    done = torchgen("doctor", str(project), "--fix")
    assert done.returncode == 1
    assert done.stdout.startswith("--- a/train.py\n+++ b/train.py\n@@ ")
    assert (project / "train.py").read_text(encoding="utf-8") == FIXABLE
    assert torchgen("doctor", str(project), "--fix", "--write").stdout == done.stdout
    assert (project / "train.py").read_text(encoding="utf-8") == FIXED
    compile(FIXED, "train.py", "exec")
    assert torchgen("doctor", str(project), "--fix").stdout == "nothing that --fix can fix\n"
    assert torchgen("doctor", str(project), "--write").returncode == 2


SAMPLED = """\
from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(epochs):
        # one pass
        for batch in loader:
            step(batch)
"""


def test_a_sampler_is_told_of_epochs_where_it_is_surely_the_one(
    project: Path, torchgen: Torchgen
) -> None:
    (project / "train.py").write_text(SAMPLED, encoding="utf-8")
    torchgen("doctor", str(project), "--fix", "--write")
    told = SAMPLED.replace(
        "        for batch", "        sampler.set_epoch(epoch)\n        for batch"
    )
    assert (project / "train.py").read_text(encoding="utf-8") == told
    perhaps = SAMPLED.replace("(dataset)\n", "(dataset) if epochs else None\n")
    twice = SAMPLED + SAMPLED[SAMPLED.index("    for epoch") :]
    for unclear in (perhaps, twice):
        (project / "train.py").write_text(unclear, encoding="utf-8")
        assert "TG202" in torchgen("doctor", str(project)).stdout
        done = torchgen("doctor", str(project), "--fix")
        assert done.stdout == "nothing that --fix can fix\n"


def test_a_file_with_an_argument_called_async_is_judged_and_kept(
    project: Path, torchgen: Torchgen
) -> None:
    text = "import torch\n\n\ndef load(upload, x):\n    x.cuda(async=True)\n"
    text += "    return torch.load(upload)\n"
    (project / "train.py").write_text(text, encoding="utf-8")
    found = json.loads(torchgen("doctor", str(project), "--json").stdout)
    assert found["files"] == 1
    assert [(one["rule"], one["line"]) for one in found["findings"]] == [("TG001", 5), ("TG601", 6)]
    torchgen("doctor", str(project), "--fix", "--write")
    mended = text.replace("load(upload)", "load(upload, weights_only=True)")
    assert (project / "train.py").read_text(encoding="utf-8") == mended


def test_a_whole_id_shows_the_hints_of_its_rule(project: Path, torchgen: Torchgen) -> None:
    (project / "train.py").write_text("import torch\n\ntorch.ger(1, 2)\n", encoding="utf-8")
    assert torchgen("doctor", str(project)).returncode == 0
    assert torchgen("doctor", str(project), "--select", "TG8").stdout == "nothing found in 1 file\n"
    assert "train.py:3" in torchgen("doctor", str(project), "--select", "TG803").stdout


def test_rules_are_selected_by_the_beginnings_of_their_ids(
    project: Path, torchgen: Torchgen
) -> None:
    assert torchgen("doctor", str(project), "--select", "TG4,tg8").returncode == 0
    assert torchgen("doctor", str(project), "--select", "TG6").returncode == 1
    refused = torchgen("doctor", str(project), "--select", "TG77")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("flag", ["--json", "--sarif"])
def test_a_program_gets_an_object_also_of_what_fails(
    flag: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    done = torchgen("doctor", "nowhere", flag)
    assert done.returncode == 2
    assert isinstance(json.loads(done.stdout), dict)


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
        (["nowhere"], "error: nowhere is neither a file nor a folder; give a training repository"),
        (["file.txt"], "error: file.txt is not a Python file, notebook or folder"),
        (
            ["--json", "--sarif"],
            '{"error": "--json and --sarif cannot be combined; give one of them", "exit_code": 2}',
        ),
        (
            ["--explain", "TG601x"],
            "error: no rule is called 'TG601x'; did you mean 'TG601'?; "
            "torchgen doctor --rules lists them",
        ),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_2(
    arguments: list[str], message: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    (tmp_path / "file.txt").touch()
    done = torchgen("doctor", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message + "\n")


def test_an_unknown_flag_is_exit_2(torchgen: Torchgen) -> None:
    assert torchgen("doctor", "--hint5").returncode == 2


def test_nothing_to_check_is_refused(tmp_path: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor")
    assert done.returncode == 2
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


def test_the_action_s_script_writes_sarif_and_fails_with_the_findings(
    project: Path, env: dict[str, str]
) -> None:
    action = yaml.safe_load((ROOT / ".github/actions/doctor/action.yml").read_text("utf-8"))
    install, check = action["runs"]["steps"]
    assert (ROOT / ".github/actions/doctor/../../..").resolve() == ROOT
    assert install["run"].endswith('"$GITHUB_ACTION_PATH/../../.."')
    given = {name: action["inputs"][name.lower()]["default"] for name in check["env"]}
    bin_folder = str(Path(sys.executable).parent)
    for flags, code in (("", 1), ("--select TG4", 0)):
        own = env | given | {"FLAGS": flags, "PATH": f"{bin_folder}:{env['PATH']}"}
        line = ["bash", "-e", "-o", "pipefail", "-c", check["run"]]
        done = subprocess.run(line, cwd=project, env=own, capture_output=True, check=False)
        assert done.returncode == code, done.stderr
        log = json.loads((project / "doctor.sarif").read_text(encoding="utf-8"))
        assert len(log["runs"][0]["results"]) == 2 * code


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
    lines = torchgen("doctor", str(project), "--hints").stdout.splitlines()
    heads = [line.split()[0] for line in lines if line.startswith("TG")]
    assert (heads, lines[-1]) == (["TG803"], "1 hint in 1 file")


def test_a_script_called_test_py_is_no_test(project: Path, torchgen: Torchgen) -> None:
    (project / "train.py").rename(project / "test.py")
    assert torchgen("doctor", str(project)).returncode == 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xef\xbb\xbfimport torch\nx = torch.load('uploads/\xc3\xa4')\n", 2),
        (b"# -*- coding: latin-1 -*-\nimport torch\nx = torch.load('uploads/\xe4')\n", 3),
        (b"import torch\r\nx = torch.load('uploads/a')\r\n", 2),
        (b"import torch\nx = '\\d'; y = torch.load(x + 'upload')", 2),
    ],
)
def test_encodings_and_line_ends(
    content: bytes, line: int, tmp_path: Path, torchgen: Torchgen
) -> None:
    (tmp_path / "a.py").write_bytes(content)
    done = torchgen("doctor")
    assert f"\n  a.py:{line}: no weights_only\n" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("content", [b"def f(:\n", b"x = '\xe4'\n", b"x = 1\0\n", b"(" * 5000])
def test_a_file_that_does_not_parse_is_a_finding_and_the_others_are_checked(
    content: bytes, project: Path, torchgen: Torchgen
) -> None:
    (project / "bad.py").write_bytes(content)
    done = torchgen("doctor", str(project))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("TG001 error: ") and lines[1].startswith("  bad.py:1: ")
    assert lines[-1] == "1 error, 2 warnings in 2 files"
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
