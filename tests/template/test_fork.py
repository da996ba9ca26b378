"""A team's fork: its file, questions and defaults are in its projects, and so are our fixes."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.conftest import ROOT, Torchgen, run
from update.world import contents

from .conftest import Repository

Record = dict[str, Any]


def record_of(project: Path) -> Record:
    record = yaml.safe_load((project / ".copier-answers.yml").read_text(encoding="utf-8"))
    assert isinstance(record, dict)
    return record


def text_of(project: Path, name: str = "TEAM.md") -> str:
    return (project / name).read_text(encoding="utf-8")


@pytest.fixture
def project(fork: Repository, torchgen: Torchgen, tmp_path: Path) -> Path:
    """A project of the fork's first release."""
    done = torchgen("new", "proj", "--source", "fork", "--gpus", "4")
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path / "proj"


def test_the_forks_file_questions_and_default_arrive(project: Path, fork: Repository) -> None:
    assert text_of(project) == "proj reads s3://proj on 4 GPUs.\n"
    assert record_of(project) == {
        "_commit": "v0.1.0+acme.1",
        "_src_path": str(fork.path),
        "amp": "off",
        "bucket": "s3://proj",
        "data_format": "imagefolder",
        "description": "An image classifier in PyTorch",
        "extras": ["report"],
        "gpus": 4,
        "logger": "wandb",
        "parallelism": "single",
        "project_name": "proj",
        "shared": False,
    }


def test_the_forks_questions_are_flags_with_their_help(
    torchgen: Torchgen, fork: Repository
) -> None:
    page = " ".join(torchgen("new", "--source=fork", "--help").stdout.split())
    assert "--bucket TEXT Where is the data? [default: computed from other answers]" in page
    assert "--gpus NUMBER How many GPUs per run? [default: 2]" in page
    assert "--shared yes|no shared [default: false]" in page
    assert "--partner blue|green partner [default: green]" in page
    assert "always written) [default: wandb]" in page
    assert "--bucket" not in torchgen("new", "--help").stdout


def test_a_wrong_answer_to_the_forks_question_is_refused(
    torchgen: Torchgen, fork: Repository, tmp_path: Path
) -> None:
    for flags, message in (
        (["--buckte", "x"], "No such option: --buckte; did you mean '--bucket'?"),
        (["--gpus", "four"], "--gpus: 'four' is not a whole number"),
        (["--gpus", "0"], "--gpus: One at least, please."),
        (["--shared", "maybe"], "--shared: 'maybe' is not yes or no"),
        (
            ["--shared", "on", "--partner", "greed"],
            "--partner: 'greed' is not one of blue, green; did you mean 'green'?",
        ),
    ):
        done = torchgen("new", "proj", "--source", "fork", *flags)
        assert (done.returncode, done.stderr) == (2, f"error: {message}\n")
    assert not (tmp_path / "proj").exists()


def test_an_answers_file_names_the_forks_questions_and_no_others(
    torchgen: Torchgen, fork: Repository, tmp_path: Path
) -> None:
    file = tmp_path / "a.yml"
    file.write_text("bucket: gs://b\ngpus: 8\nshared: yes\npartner: blue\n", encoding="utf-8")
    done = torchgen("new", "proj", "--source", "fork", "--answers", "a.yml")
    assert (done.returncode, done.stderr) == (0, "")
    assert text_of(tmp_path / "proj") == "proj reads gs://b on 8 GPUs.\nShared with blue.\n"
    assert "  shared        true  (from a.yml)\n" in done.stdout
    file.write_text("room: red\n", encoding="utf-8")
    done = torchgen("new", "other", "--source", "fork", "--answers", "a.yml")
    assert (done.returncode, done.stderr) == (
        1,
        "error: a.yml: no question is called 'room' (the questions: project_name, description, "
        "parallelism, amp, data_format, logger, extras, launcher, bucket, gpus, shared, "
        "partner)\n",
    )


def test_an_answer_to_what_is_not_asked_is_refused(
    torchgen: Torchgen, fork: Repository, tmp_path: Path
) -> None:
    done = torchgen("new", "proj", "--source", "fork", "--partner", "blue")
    assert (done.returncode, done.stderr) == (
        1,
        f"error: the template at {fork.path} does not ask for partner with these answers\n",
    )
    assert not (tmp_path / "proj").exists()


def test_our_next_release_and_the_teams_reach_the_forks_projects(
    ours: Repository, fork: Repository, project: Path, torchgen: Torchgen, env: dict[str, str]
) -> None:
    ours.edit("template/README.md.jinja", "# {{ project_name }}", "# {{ project_name }}, fixed")
    ours.edit("copier.yml", "help: Train in mixed precision?", "help: Which precision?")
    ours.commit("v0.2.0")
    fork("fetch", "--quiet", "--tags", "upstream")
    fork("merge", "--quiet", "--no-edit", "v0.2.0")
    fork.edit("template/TEAM.md.jinja", " GPUs.", " GPUs each.")
    fork.commit("v0.2.0+acme.1")

    file = project / "proj" / "train.py"
    file.write_text(file.read_text(encoding="utf-8") + "MINE = 1\n", encoding="utf-8")
    run("git", "commit", "--quiet", "-am", "an edit", cwd=project, env=env)
    assert torchgen("update", "--check", cwd=project).returncode == 4
    done = torchgen("update", "--json", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert {change["path"]: change["kind"] for change in report["files"]} == {
        ".copier-answers.yml": "changed",
        "README.md": "changed",
        "TEAM.md": "changed",
    }
    assert text_of(project) == "proj reads s3://proj on 4 GPUs each.\n"
    assert text_of(project, "README.md").startswith("# proj, fixed\n")
    assert text_of(project, "proj/train.py").endswith("MINE = 1\n")
    assert record_of(project)["_commit"] == "v0.2.0+acme.1"
    assert record_of(project)["gpus"] == 4


CHOICES = "  default: [report]\n  choices:\n"


def test_an_extra_of_the_team_comes_and_goes_and_our_next_release_brings_another(
    ours: Repository, fork: Repository, project: Path, torchgen: Torchgen, env: dict[str, str]
) -> None:
    page = (ROOT / "docs" / "extras.md").read_text(encoding="utf-8")
    choice, excludes = re.findall(r"^```yaml .*?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    fork.edit("copier.yml", CHOICES, CHOICES + choice)
    fork.edit("copier.yml", "_exclude:\n", "_exclude:\n" + excludes)
    for name in ("{{package_name}}/audit/__init__.py", "tests/audit/test_audit.py"):
        file = fork.path / "template" / name
        file.parent.mkdir(parents=True)
        file.write_text("SEEN = 1\n", encoding="utf-8")
    fork.commit("v0.1.0+acme.2")
    last = re.findall(r'^    "fast-loader: .*\n', (ours.path / "copier.yml").read_text(), re.M)[0]
    ours.edit("copier.yml", last, last + '    "newer: one more of ours": newer\n')
    ours.commit("v0.2.0")
    fork("fetch", "--quiet", "--tags", "upstream")
    fork("merge", "--quiet", "--no-edit", "v0.2.0")
    fork("tag", "v0.2.0+acme.1")

    done = torchgen("update", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    run("git", "commit", "--quiet", "-am", "an update", cwd=project, env=env)
    before = contents(project)
    done = torchgen("add", "audit", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert text_of(project, "proj/audit/__init__.py") == "SEEN = 1\n"
    assert text_of(project, "tests/audit/test_audit.py") == "SEEN = 1\n"
    assert record_of(project)["extras"] == ["audit", "report"]
    run("git", "add", "--all", cwd=project, env=env)
    run("git", "commit", "--quiet", "-m", "our extra", cwd=project, env=env)
    done = torchgen("remove", "audit", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert contents(project) == before


def test_plain_copier_updates_from_the_fork_as_well(
    fork: Repository, project: Path, env: dict[str, str]
) -> None:
    fork.edit("template/TEAM.md.jinja", " GPUs.", " GPUs each.")
    fork.commit("v0.1.0+acme.2")
    command = (sys.executable, "-m", "copier", "update", "--defaults", "--quiet")
    run(*command, cwd=project, env=env)
    assert text_of(project) == "proj reads s3://proj on 4 GPUs each.\n"


def test_the_forks_answers_can_be_changed(project: Path, torchgen: Torchgen) -> None:
    done = torchgen("set", "shared=yes", "gpus=8", "proj", cwd=project.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert text_of(project) == "proj reads s3://proj on 8 GPUs.\nShared with green.\n"
    assert record_of(project)["shared"] is True


def test_a_wrong_change_is_refused(project: Path, torchgen: Torchgen) -> None:
    for word, message in (
        ("gpus=0", "gpus: One at least, please."),
        ("gpus=x", "gpus: 'x' is not a whole number"),
        ("buckte=x", "no question is called 'buckte'; did you mean 'bucket'?"),
    ):
        done = torchgen("set", word, cwd=project)
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: {message}")


def test_a_question_without_default_has_to_be_answered(
    fork: Repository, torchgen: Torchgen, tmp_path: Path
) -> None:
    fork.ask("\nowner:\n  type: str\n")
    fork.commit("v0.1.0+acme.2")
    done = torchgen("new", "proj", "--source", "fork")
    assert (done.returncode, done.stderr) == (
        2,
        "error: --owner is required: the template has no default\n",
    )
    done = torchgen("new", "proj", "--source", "fork", "--owner", "vision")
    assert done.returncode == 0, done.stderr
    assert record_of(tmp_path / "proj")["owner"] == "vision"


def test_an_update_that_brings_such_a_question_says_where_to_answer(
    fork: Repository, project: Path, torchgen: Torchgen, env: dict[str, str]
) -> None:
    fork.ask("\nowner:\n  type: str\n")
    fork.commit("v0.1.0+acme.2")
    done = torchgen("update", cwd=project)
    assert (done.returncode, done.stderr) == (
        1,
        "error: the template asks for owner and has no default for it: add a line "
        "`owner: ANSWER` to .copier-answers.yml, commit that, and try again\n",
    )
    with (project / ".copier-answers.yml").open("a", encoding="utf-8") as file:
        file.write("owner: vision\n")
    run("git", "commit", "--quiet", "-am", "owner", cwd=project, env=env)
    done = torchgen("update", cwd=project)
    assert done.returncode == 0, done.stderr
    assert record_of(project)["owner"] == "vision"
    assert record_of(project)["_commit"] == "v0.1.0+acme.2"


KINDS = [
    ("{default: 1.5}", "0.25", 0.25),
    ("{default: true}", "off", False),
    ("plain", "text", "text"),
    ("{type: str, choices: [[First, a], [Second, b]], default: a}", "b", "b"),
    ("{type: int, choices: {one: 1, two: 2}, default: 1}", "2", 2),
    ("{type: str, multiselect: true, choices: [a, b], default: [a]}", "[a, b]", ["a", "b"]),
    ("{type: yaml, default: {a: 1}}", "[1, {b: 2}]", [1, {"b": 2}]),
    ("{type: str, help: With a help, default: ''}", "3", "3"),
]


def test_whatever_copier_can_ask_is_answered_by_a_flag(
    ours: Repository, torchgen: Torchgen, tmp_path: Path
) -> None:
    flags, expected = [], {}
    for number, (question, answer, recorded) in enumerate(KINDS):
        ours.ask(f"\nkind_{number}: {question}\n")
        flags += [f"--kind-{number}", answer]
        expected[f"kind_{number}"] = recorded
    ours.commit("v0.2.0")
    done = torchgen("new", "proj", "--source", "ours", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    record = record_of(tmp_path / "proj")
    assert {name: record[name] for name in expected} == expected


def test_a_question_named_like_one_of_our_flags_is_answered_by_a_file(
    ours: Repository, torchgen: Torchgen, tmp_path: Path
) -> None:
    ours.ask("\njson:\n  type: str\n  default: none\n")
    ours.commit("v0.2.0")
    (tmp_path / "a.yml").write_text("json: lines\n", encoding="utf-8")
    done = torchgen("new", "proj", "--source", "ours", "--answers", "a.yml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["answers"]["json"] == "lines"


def test_commits_that_the_team_has_not_released_are_named(
    fork: Repository, torchgen: Torchgen, tmp_path: Path
) -> None:
    fork("tag", "--delete", "v0.1.0+acme.1")
    done = torchgen("new", "proj", "--source", "fork")
    assert (done.returncode, done.stderr) == (
        0,
        f"warning: {fork.path} has commits after v0.1.0, its latest release, which are ignored; "
        "to release them, tag one (a fork: v0.1.0+NAME.1)\n",
    )
    assert not (tmp_path / "proj" / "TEAM.md").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [", "cannot read the template's copier.yml: "),
        ("- a\n", "the template's copier.yml has no questions\n"),
        ('a: {default: "{% if %}"}\n', "the template's question a: "),
    ],
)
def test_questions_that_cannot_be_read_are_one_line(
    ours: Repository, torchgen: Torchgen, content: str, message: str
) -> None:
    (ours.path / "copier.yml").write_text(content, encoding="utf-8")
    ours.commit("v0.2.0")
    done = torchgen("new", "proj", "--source", "ours")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1
