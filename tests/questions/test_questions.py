"""`torchgen questions`: one source for people, programs, the docs and the flags."""

import json
import re
from pathlib import Path

import yaml

from generator.conftest import ROOT, Torchgen
from torchgen_cli.questions.questionnaire import Questionnaire

CONFIG = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
ASKED = {k: v for k, v in CONFIG.items() if not k.startswith("_") and v.get("when") is not False}


def test_the_questions_of_the_contract_default_first() -> None:
    choices = {name: list(q["choices"].values()) for name, q in ASKED.items() if "choices" in q}
    assert choices == {
        "parallelism": ["single", "ddp", "fsdp"],
        "amp": ["off", "bf16", "fp16"],
        "data_format": ["imagefolder", "hdf5", "lmdb", "webdataset"],
        "logger": ["tensorboard", "wandb", "mlflow", "trackio", "none"],
        "extras": [
            *("report", "verify", "export", "serve", "sweep", "look", "perf", "check-data"),
            *("finetune", "augmentations", "imbalance", "schedules", "fast-loader"),
        ],
        "launcher": ["local", "slurm", "kubernetes"],
    }
    defaults = {name: ASKED[name]["default"] for name in choices}
    assert defaults.pop("extras") == ["report"]
    assert all(choices[name][0] == default for name, default in defaults.items())
    assert list(ASKED) == ["project_name", "description", *choices]
    assert [name for name, question in ASKED.items() if "when" in question] == ["launcher"]


def test_no_advice_is_cut_off_in_a_terminal_of_80_columns() -> None:
    for question in ASKED.values():
        for label, choice in question.get("choices", {}).items():
            assert label.startswith(f"{choice}: ")
            assert len(f" » {label}") <= 80, label


def test_the_table_has_each_choice_with_its_advice(torchgen: Torchgen) -> None:
    words = torchgen("questions").stdout.split()
    text = " ".join(words)
    for question in ASKED.values():
        assert question["help"] in text
        for label, choice in question.get("choices", {}).items():
            assert choice in words
            assert label.removeprefix(f"{choice}: ") in text


def test_the_schema_says_what_is_allowed(torchgen: Torchgen) -> None:
    schema = json.loads(torchgen("questions", "--json").stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == list(ASKED)
    for name, question in ASKED.items():
        described = schema["properties"][name]
        assert described["description"] == question["help"]
        if question.get("multiselect"):
            assert (described["type"], described["uniqueItems"]) == ("array", True)
            assert described["items"]["enum"] == list(question["choices"].values())
            assert described["default"] == question["default"]
            continue
        assert described["type"] == "string"
        if "choices" in question:
            assert described["enum"] == list(question["choices"].values())
            assert [one["const"] for one in described["oneOf"]] == described["enum"]
            assert described["default"] == question["default"]
    assert "default" not in schema["properties"]["project_name"]  # it follows from PATH


def test_the_schema_and_the_validators_limit_alike(torchgen: Torchgen) -> None:
    limits = json.loads(torchgen("questions", "--json").stdout)["properties"]
    questionnaire = Questionnaire(ROOT)
    name, description, *_ = questionnaire.questions
    pattern, longest = limits["project_name"]["pattern"], limits["project_name"]["maxLength"]
    for answer in ("a", "a-1", "x2-b", "A", "1a", "a--b", "a-", "a_b", "ä", "a b", ""):
        fits = re.search(pattern, answer) is not None
        assert (questionnaire.complaint(name, answer, {}) == "") == fits, answer
    for question, most in ((name, longest), (description, limits["description"]["maxLength"])):
        assert questionnaire.complaint(question, "a" * most, {}) == ""
        assert questionnaire.complaint(question, "a" * (most + 1), {}) != ""


def test_the_readme_lists_the_choices_default_first() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(--\S+)` \| (.+) \|$", text, re.MULTILINE))
    asked = {name: q for name, q in ASKED.items() if "choices" in q}
    assert list(rows) == [f"--{name.replace('_', '-')}" for name in asked]
    assert rows.pop("--extras").startswith("`report`")  # the others have a page
    for flag, row in rows.items():
        choices = asked[flag.removeprefix("--").replace("-", "_")]["choices"].values()
        assert row == " · ".join(f"`{choice}`" for choice in choices)


def test_the_page_in_the_docs_is_up_to_date(torchgen: Torchgen) -> None:
    page = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    assert torchgen("questions", "--markdown").stdout == page, (
        "run: torchgen questions --markdown > docs/questions.md"
    )


def test_each_question_is_a_flag_with_its_choices(torchgen: Torchgen) -> None:
    page = torchgen("new", "--help").stdout
    for name, question in ASKED.items():
        flag = "--" + name.replace("_", "-")
        sign = "," if question.get("multiselect") else "|"
        choices = sign.join(question.get("choices", {}).values()) or "TEXT"
        assert f"{flag} {choices}" in page


def test_no_summary_of_a_command_is_cut_off(torchgen: Torchgen) -> None:
    page = torchgen("--help", env={"COLUMNS": "80"}).stdout
    summaries = page.split("Commands:\n")[1].splitlines()
    assert len(summaries) == 15
    assert [line for line in summaries if not line.endswith(".") or line.endswith("...")] == []


def test_help_reads_no_template_and_no_copier(torchgen: Torchgen, tmp_path: Path) -> None:
    done = torchgen("--help", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == 0
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert {"typer", "torchgen_cli.cli"} <= imported
    assert not imported & {"yaml", "jinja2", "copier", "rich"}
