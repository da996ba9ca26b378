"""Every set of answers and every extra renders into a clean project of its own."""

import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
import yaml

from . import code, text
from .answers import (
    COVER,
    EXTRA_SETS,
    EXTRAS,
    SETS,
    UNASKED,
    extras_of,
    folder_of,
    made,
    name_of,
    needs,
    questions,
    together,
    with_extras,
)
from .renderings import PACKAGE, copy_template, digest, files, render
from .sizes import HOOKLESS, hooks

Trees = Mapping[str, Path]


def ruff(*arguments: str | Path) -> str:
    """Run ruff; returns its output, fails with it."""
    command = [sys.executable, "-m", "ruff", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_matrix_is_the_product_of_all_choices_and_each_set_is_there_once() -> None:
    size = 1
    for choices in questions().values():
        assert len(choices) == len(set(choices)) > 1
        size *= len(choices)
    assert len(SETS) == len({name_of(answers) for answers in SETS}) == size >= 180


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


def test_each_project_records_its_own_answers(trees: Trees, extra_trees: Trees) -> None:
    # from the end: another of pytest's workers may be rendering them from the beginning
    for answers in reversed(SETS):
        record = trees[name_of(answers)] / ".copier-answers.yml"
        stored = yaml.safe_load(record.read_text(encoding="utf-8"))
        assert {question: stored[question] for question in answers} == answers
        assert stored["extras"] == []
    for answers in EXTRA_SETS:
        record = extra_trees[name_of(answers)] / ".copier-answers.yml"
        stored = yaml.safe_load(record.read_text(encoding="utf-8"))["extras"]
        assert stored == extras_of(answers)


@pytest.mark.parametrize("which", ["sets", "extras"])
def test_every_project_is_formatted_and_lint_free(
    which: str, trees: Trees, extra_trees: Trees
) -> None:
    chosen = [*(trees if which == "sets" else extra_trees).values()]
    said = ruff("format", "--check", "--no-cache", "--no-respect-gitignore", *chosen)
    # Markdown may be among them: newer versions of ruff format its code
    assert int(said.split(" files already formatted")[0]) >= sum(
        len(list(tree.rglob("*.py"))) for tree in chosen
    )
    ruff("check", "--no-cache", "--no-respect-gitignore", "--output-format=concise", *chosen)


@pytest.mark.parametrize("project", ["a", "a-name-of-forty-letters-is-the-longest-1"])
def test_short_and_long_names_stay_formatted(tmp_path: Path, project: str) -> None:
    template = copy_template(tmp_path / "template")
    for number, answers in enumerate((SETS[0], with_extras(SETS[-1], *EXTRAS))):
        render(template, answers, tmp_path / "trees" / str(number), project)
    ruff("format", "--check", "--no-cache", "--no-respect-gitignore", tmp_path / "trees")
    ruff("check", "--no-cache", "--no-respect-gitignore", tmp_path / "trees")


def test_no_project_names_a_library_of_a_choice_that_was_not_made(
    trees: Trees, extra_trees: Trees
) -> None:
    by_tree = {trees[name_of(answers)]: answers for answers in SETS}
    by_tree |= {extra_trees[name_of(answers)]: answers for answers in EXTRA_SETS}
    all_trees = {**trees, **extra_trees}
    assert_none(all_trees, lambda tree: text.foreign_words(tree, by_tree[tree]))


def test_what_may_be_named_is_named(trees: Trees, extra_trees: Trees) -> None:
    for entry in text.VOCABULARY:
        if entry.question in UNASKED or not set(entry.choices) & {*EXTRAS, *CHOICES}:
            continue
        makers = [a for a in (*SETS, *EXTRA_SETS) if made(a, entry.question) & set(entry.choices)]
        tree = {**trees, **extra_trees}[name_of(makers[0])]
        contents = [content.decode() for _, content in files(tree)]
        assert any(text.said(content, entry.words) for content in contents), entry


@pytest.mark.parametrize("check", [text.stray_blanks, text.leftovers, code.unused, code.undeclared])
def test_every_project_is_clean(
    check: Callable[[Path], Iterable[str]], trees: Trees, extra_trees: Trees
) -> None:
    assert_none({**trees, **extra_trees}, check)


def test_imports_go_down_only(trees: Trees, extra_trees: Trees) -> None:
    cover = {name_of(answers): trees[name_of(answers)] for answers in COVER}
    assert_none({**cover, **extra_trees}, code.upward)


def test_the_readme_names_no_module_that_is_not_there(trees: Trees, extra_trees: Trees) -> None:
    assert_none({**trees, **extra_trees}, text.module_names)


def test_settings_files_parse(trees: Trees) -> None:
    for tree in trees.values():
        project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
        assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [PACKAGE]
        for path in (*tree.rglob("*.yml"), *tree.rglob("*.yaml")):
            assert yaml.safe_load(path.read_text(encoding="utf-8")), path


CHOICES = {choice for choices in questions().values() for choice in choices}


def test_an_extra_brings_its_own_folders_and_hooks_and_nothing_else(
    trees: Trees, extra_trees: Trees
) -> None:
    all_trees = {**trees, **extra_trees}
    for extra in EXTRAS:
        needed = with_extras(SETS[0], *needs(extra)) if needs(extra) else SETS[0]
        without = dict(files(all_trees[name_of(needed)]))
        having = dict(files(all_trees[name_of(with_extras(SETS[0], extra))]))
        folder = folder_of(extra)
        own = (f"{PACKAGE}/{folder}/", f"tests/{folder}/")
        own += ("tests/machinery/", f"{PACKAGE}/replay.py") if extra == "verify" else ()
        own += ("Dockerfile", ".dockerignore") if extra == "serve" else ()
        assert without.keys() <= having.keys()
        assert [n for n in having.keys() - without.keys() if not n.startswith(own)] == []
        assert any(name.startswith(own[1:]) and "test_" in name for name in having), extra
        changed = {name for name in without if without[name] != having[name]}
        assert changed <= MAY_CHANGE, (extra, changed - MAY_CHANGE)
        base = all_trees[name_of(needed)]
        count = hooks(base, all_trees[name_of(with_extras(SETS[0], extra))])
        assert count <= (0 if extra in HOOKLESS else 8), (extra, count)


# a README section, the packages; of the experiment's files those that take a hook
MAY_CHANGE = {"README.md", "AGENTS.md", "pyproject.toml"} | {
    f"{PACKAGE}/{name}.py" for name in ("config", "model", "task", "augment", "optim", "train")
}


def assert_none(trees: Trees, check: Callable[[Path], Iterable[str]]) -> None:
    """Fail with each finding of a check once, and the sets that share it."""
    found: dict[str, list[str]] = {}
    for name, tree in trees.items():
        for finding in check(tree):
            found.setdefault(finding, []).append(name)
    rows = [f"{finding}  [{len(names)} sets: {names[0]} ...]" for finding, names in found.items()]
    assert not rows, f"{len(rows)} findings:\n" + "\n".join(rows)
