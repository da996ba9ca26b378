"""Every set of answers renders into a project of its own, clean to the last blank."""

import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml

from . import code, text
from .answers import COVER, SETS, UNASKED, Answers, name_of, questions, together, unasked
from .renderings import PACKAGE, copy_template, digest, files, render

Trees = dict[str, Path]

# ruff's rules for unused arguments, beyond what a project's own configuration asks for; not where
# functions fill an interface, whose arguments not each of them needs
RULES = (
    *("--extend-select", "ARG"),
    *(
        "--per-file-ignores",
        f"**/{PACKAGE}/model.py:ARG001,**/augment.py:ARG002,**/tests/toy/**:ARG",
    ),
    *("--per-file-ignores", "**/tests/experiment/**:ARG001,**/test_prepare.py:ARG001"),
    *("--per-file-ignores", "**/test_*settings.py:ARG001"),
)


def ruff(*arguments: str | Path) -> str:
    """Run ruff on the folder that the arguments end with; returns its output, fails with it."""
    command = [sys.executable, "-m", "ruff", *map(str, arguments)]
    # there, as the patterns of RULES begin in the working directory
    done = subprocess.run(command, cwd=arguments[-1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_files(folder: Path) -> int:
    return len(list(folder.rglob("*.py")))


def test_the_matrix_is_the_product_of_all_choices_and_each_set_is_there_once() -> None:
    size = 1
    for choices in questions().values():
        assert len(choices) == len(set(choices)) > 1
        size *= len(choices)
    assert len(SETS) == len({name_of(answers) for answers in SETS}) == size >= 72


def test_in_the_covering_sets_each_two_choices_meet() -> None:
    met, all_pairs = ({p for a in sets for p in together(a, 2)} for sets in (COVER, SETS))
    assert met == all_pairs
    assert len(COVER) < len(SETS) / 3


def test_no_two_sets_give_the_same_project(trees: Trees) -> None:
    assert len(trees) == len(SETS)
    digests = {name: digest(tree) for name, tree in trees.items()}
    assert len(set(digests.values())) == len(SETS)


def test_what_is_kept_of_a_set_is_what_is_rendered(trees: Trees, tmp_path: Path) -> None:
    answers = SETS[-1]
    again = render(copy_template(tmp_path / "template"), answers, tmp_path / "again")
    assert digest(again) == digest(trees[name_of(answers)])


@pytest.mark.parametrize("answers", SETS, ids=name_of)
def test_a_project_records_its_own_answers(trees: Trees, answers: Answers) -> None:
    record = trees[name_of(answers)] / ".copier-answers.yml"
    stored = yaml.safe_load(record.read_text(encoding="utf-8"))
    assert {question: stored[question] for question in answers} == answers


def test_every_project_is_formatted(trees: Trees) -> None:
    folder = next(iter(trees.values())).parent
    said = ruff("format", "--check", "--no-cache", "--no-respect-gitignore", folder)
    # Markdown may be among them: newer versions of ruff format its code
    assert int(said.split(" files already formatted")[0]) >= python_files(folder)


def test_every_project_is_lint_free_down_to_its_arguments(trees: Trees) -> None:
    folder = next(iter(trees.values())).parent
    ruff("check", "--no-cache", "--no-respect-gitignore", "--output-format=concise", *RULES, folder)


@pytest.mark.parametrize("project", ["a", "a-name-of-forty-letters-is-the-longest-1"])
def test_short_and_long_names_stay_formatted(tmp_path: Path, project: str) -> None:
    template = copy_template(tmp_path / "template")
    for answers in SETS[0], SETS[-1]:
        render(template, answers, tmp_path / "trees" / name_of(answers), project)
    ruff("format", "--check", "--no-cache", "--no-respect-gitignore", tmp_path / "trees")
    ruff("check", "--no-cache", "--no-respect-gitignore", tmp_path / "trees")


def test_no_project_says_a_word_of_a_choice_that_was_not_made(trees: Trees) -> None:
    by_tree = {trees[name_of(answers)]: answers for answers in SETS}
    assert_none(trees, lambda tree: text.foreign_words(tree, by_tree[tree]))


def test_every_choice_has_words_and_some_are_said_where_they_may_be(trees: Trees) -> None:
    known = {(entry.question, choice) for entry in text.VOCABULARY for choice in entry.choices}
    asked = questions() | unasked()
    every = {(question, choice) for question, choices in asked.items() for choice in choices}
    assert known | text.PLAIN == every, "text.VOCABULARY must name the words of a new choice"
    for entry in text.VOCABULARY:
        if entry.question in UNASKED:
            continue
        for choice in entry.choices:
            maker = next(answers for answers in SETS if answers[entry.question] == choice)
            contents = [content.decode() for _, content in files(trees[name_of(maker)])]
            assert any(text.said(content, entry.words) for content in contents), entry


def test_no_stray_blanks(trees: Trees) -> None:
    assert_none(trees, text.stray_blanks)


def test_nothing_of_the_template_is_left_over(trees: Trees) -> None:
    assert_none(trees, text.leftovers)


def test_nothing_in_a_package_is_unused(trees: Trees) -> None:
    assert_none(trees, code.unused)


def test_dependencies_are_those_that_are_imported(trees: Trees) -> None:
    assert_none(trees, code.undeclared)


def test_the_top_of_a_package_is_small(trees: Trees) -> None:
    for name, tree in trees.items():
        top = list((tree / PACKAGE).glob("*.py"))
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in top)
        limit = 1000 if name == name_of(SETS[0]) else 1010  # the first is the default
        assert len(top) <= 12 and lines <= limit, f"{name}: {len(top)} files, {lines} lines"


@pytest.mark.parametrize("sets", [COVER, pytest.param(SETS, marks=pytest.mark.scheduled)])
def test_imports_go_down_only(sets: list[Answers], trees: Trees) -> None:
    assert_none({name_of(answers): trees[name_of(answers)] for answers in sets}, code.upward)


def test_the_readme_names_every_module_and_none_that_is_not_there(trees: Trees) -> None:
    assert_none(trees, text.module_names)


def test_settings_files_parse(trees: Trees) -> None:
    for tree in trees.values():
        project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
        assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [PACKAGE]
        for path in (*tree.rglob("*.yml"), *tree.rglob("*.yaml")):
            assert yaml.safe_load(path.read_text(encoding="utf-8")), path


def assert_none(trees: Trees, check: Callable[[Path], Iterable[str]]) -> None:
    """Fail with each finding of a check once, and the sets that share it."""
    found: dict[str, list[str]] = {}
    for name, tree in trees.items():
        for finding in check(tree):
            found.setdefault(finding, []).append(name)
    rows = [f"{finding}  [{len(names)} sets: {names[0]} ...]" for finding, names in found.items()]
    assert not rows, f"{len(rows)} findings:\n" + "\n".join(rows)
