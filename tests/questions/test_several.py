"""A question with several answers: given as text or as a list, recorded as a list in one order."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.conftest import ROOT, Torchgen
from torchgen_cli.adopting.guess import best
from torchgen_cli.adopting.likeness import Fit
from torchgen_cli.questions.question import Question, parse

DESCRIBED = {"type": "str", "multiselect": True, "default": [], "choices": ["a", "b", "c", "d"]}


CONFIG = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
ALL = list(CONFIG["extras"]["choices"].values())


def recorded(project: Path) -> Any:
    return yaml.safe_load((project / ".copier-answers.yml").read_text(encoding="utf-8"))["extras"]


@pytest.mark.parametrize(
    ("text", "picked"),
    [
        ("a", ["a"]),
        ("c,a,c", ["a", "c"]),  # in the order of the choices, each once
        (" c , a ", ["a", "c"]),
        ("[c, 'a']", ["a", "c"]),  # as Copier's --data writes it
        ("none", []),
        ("", []),
        ("[]", []),
        ("all", ["a", "b", "c", "d"]),
    ],
)
def test_an_answer_is_a_list_with_commas(text: str, picked: list[str]) -> None:
    assert parse("x", DESCRIBED).typed(text) == picked


@pytest.mark.parametrize(
    ("default", "text", "marked"),
    [([], "none", ["none"]), (["b", "a"], "b,a", ["a", "b"]), ("{{ ['b'] }}", "{{ ['b'] }}", [])],
)
def test_its_default(default: Any, text: str, marked: list[str]) -> None:
    question = parse("x", {**DESCRIBED, "default": default})
    assert question.default == text
    if not question.computed:
        assert [c for c in ("none", *question.choices) if question.is_default(c)] == marked


def test_a_choice_brings_along_what_it_needs_and_what_that_needs() -> None:
    question = parse("x", DESCRIBED, {"d": ["b"], "b": ["a"]})
    assert question.typed("d") == ["a", "b", "d"]
    assert question.brought("d") == ["a comes along, for b", "b comes along, for d"]
    assert question.brought("d,b,a") == []


def test_adopting_finds_each_choice_by_itself() -> None:
    question = parse("x", DESCRIBED)
    there = {"b", "d"}

    def fit(answers: dict[str, str]) -> Fit:
        wanted = set(question.picked(answers["x"]))
        return Fit(common=len(wanted & there), missing=sorted(wanted - there))

    assert best({"x": "a,c"}, {"x": ["a,c"]}, [question], fit) == {"x": "b,d"}


def test_choices_that_a_template_computes_are_left_to_copier() -> None:
    described: Question = parse("x", {**DESCRIBED, "choices": "{{ names }}"})
    assert (described.several, described.type, described.typed("[a]")) == (False, "str", "[a]")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--extras", "look,sweep"], ["sweep", "look"]),
        (["--extras", "look", "--extras=sweep"], ["sweep", "look"]),
        (["--extras", "none"], []),
        (["--extras", "all"], ALL),
        (["--defaults"], ["report"]),
    ],
)
def test_flags(torchgen: Torchgen, tmp_path: Path, flags: list[str], expected: list[str]) -> None:
    done = torchgen("new", "x", "--no-git", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert recorded(tmp_path / "x") == expected
    assert f"  extras        {','.join(expected) or 'none'}\n" in done.stdout


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yml", "extras: [look, sweep]\n"),
        ("a.yml", "extras:\n- look\n- sweep\n"),
        ("a.yml", "extras: look,sweep\n"),
        ("a.toml", 'extras = ["look", "sweep"]\n'),
        ("a.toml", 'extras = "look,sweep"\n'),
    ],
)
def test_a_file_may_give_a_list(torchgen: Torchgen, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = torchgen("new", "x", "--no-git", "--answers", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert recorded(tmp_path / "x") == ["sweep", "look"]
    assert f"  extras        sweep,look  (from {name})\n" in done.stdout
