"""What a project gets for a cluster is added to it, and is clean, for each kind of parallelism."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from . import text
from .answers import PAIR, Answers, name_of, unasked
from .renderings import copy_template, files, render

LAUNCHERS = [
    answers | {"launcher": launcher}
    for answers in PAIR
    for launcher in unasked()["launcher"]
    if launcher != "local"
]
# besides the folder: what says how to use it, and the record of the answers
MAY_DIFFER = {"README.md"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_template(tmp_path_factory.mktemp("launchers") / "template")


@pytest.fixture
def tree(template: Path, answers: Answers, tmp_path: Path) -> Path:
    return render(template, answers, tmp_path / name_of(answers))


@pytest.mark.parametrize("answers", LAUNCHERS, ids=name_of)
def test_a_launcher_adds_its_folder_and_changes_nothing_else(
    tree: Path, trees: Mapping[str, Path], answers: Answers
) -> None:
    plain = {name: choice for name, choice in answers.items() if name != "launcher"}
    with_it, without = dict(files(tree)), dict(files(trees[name_of(plain)]))
    added = with_it.keys() - without.keys()
    own = {name for name in added if name.startswith(f"{answers['launcher']}/")}
    image = {"Dockerfile", ".dockerignore"} if answers["launcher"] == "kubernetes" else set()
    assert own and added - own == image - without.keys()
    assert without.keys() <= with_it.keys()
    assert {name for name in without if without[name] != with_it[name]} == MAY_DIFFER


@pytest.mark.parametrize("answers", LAUNCHERS, ids=name_of)
def test_what_is_added_is_clean(tree: Path, answers: Answers) -> None:
    findings = [
        *text.foreign_words(tree, answers),
        *text.stray_blanks(tree),
        *text.leftovers(tree),
        *text.module_names(tree),
    ]
    assert not findings
    words = next(entry.words for entry in text.VOCABULARY if answers["launcher"] in entry.choices)
    said = set().union(*(text.said(content.decode(), words) for _, content in files(tree)))
    assert {word.lower() for word in said} == set(words), "a word that nothing says"


@pytest.mark.parametrize("answers", LAUNCHERS, ids=name_of)
def test_lines_are_short_and_scripts_parse(tree: Path, answers: Answers) -> None:
    for path in (tree / answers["launcher"]).iterdir():
        content = path.read_text(encoding="utf-8")
        assert max(map(len, content.splitlines())) <= 100, path.name
        if content.startswith("#!/bin/bash"):
            bash = shutil.which("bash")
            assert bash is not None
            done = subprocess.run([bash, "-n", path], capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), path.name
