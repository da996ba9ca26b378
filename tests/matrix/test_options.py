"""Options of a run keep the promises together: each two of them meet, are stopped and resumed."""

import ast
import json
import shutil
from pathlib import Path

import pytest

from faults.runs import RunFolder, assert_same_run

from .answers import STEPS, Answers, name_of
from .answers import covering as cover
from .commands import Project, environment
from .options import ELSEWHERE, OPTIONS, REFUSED, covering, named, pairs
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke


def value_in(line: str, values: tuple[str, ...]) -> str:
    """Which of an option's values a command line has: the longest, as one may begin another."""
    return max((value for value in values if value in line), key=len)


def parts(where: tuple[str, Answers]) -> set[tuple[str, str]]:
    """Each option with its value in a line, and the set that it is run in."""
    line, answers = where
    values = {(name, value_in(line, values)) for name, values in OPTIONS.items()}
    return values | {("set", name_of(answers))}


LINES = covering(seed=161)
SMALL = ("--epochs", "2", "--batch-size", "16", "--width", "8", "--device", "cpu", "--no-report")
WHERE = [(line, STEPS[number % len(STEPS)]) for number, line in enumerate(LINES)]
# in these each value and each set occurs; in all of them each two values meet
OFTEN = cover(WHERE, parts)


@pytest.fixture(scope="session")
def prepared(
    trees: dict[str, Path], images: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Project]:
    """A project of each set with data, also in tar files, and with weights for --init-from."""

    class Prepared(dict[str, Project]):
        def __missing__(self, name: str) -> Project:
            folder = copy_of(trees[name], tmp_path_factory.mktemp("options"))
            project = Project(folder, environment(folder.parent / "home"))
            project.run("prepare", "--source", images)
            packed = ("--data-dir", "tars", "--per-file", "12")
            project.run("tools.pack", "--source", images, *packed)
            project.run("train", *SMALL, "--run-dir", "runs/first", "--seed", "7")
            shutil.copy(folder / "runs/first/checkpoints/best.pt", folder / "weights.pt")
            self[name] = project
            return project

    return Prepared()


def settings_of(tree: Path) -> set[str]:
    """The fields of all settings of a run."""
    files = (f"{PACKAGE}/{name}.py" for name in ("config", "base/settings", "toolbox/settings"))
    return {
        line.target.id
        for file in files
        for node in ast.parse((tree / file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }


def test_each_setting_is_an_option_here_or_tried_elsewhere(trees: dict[str, Path]) -> None:
    known = set().union(*map(settings_of, trees.values()))
    assert named() | ELSEWHERE >= known, sorted(known - named() - ELSEWHERE)
    assert known >= ELSEWHERE - {"compile"} and not named() - known


def test_each_two_values_meet() -> None:
    rows = [tuple(value_in(line, values) for values in OPTIONS.values()) for line in LINES]
    met = {pair for row in rows for pair in pairs(row)}
    sizes = [len(values) for values in OPTIONS.values()]
    every = sum(a * b for i, a in enumerate(sizes) for b in sizes[:i])
    assert len(met) == every and len(LINES) < 36


def test_often_each_value_and_each_set_is_tried() -> None:
    tried = set().union(*map(parts, OFTEN))
    values = {(name, value) for name, values in OPTIONS.items() for value in values}
    assert tried == values | {("set", name_of(answers)) for answers in STEPS}


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        pytest.param(
            *where,
            id=f"{number}-{name_of(where[1])}",
            marks=[] if where in OFTEN else pytest.mark.scheduled,
        )
        for number, where in enumerate(WHERE)
    ],
)
def test_a_run_with_options_resumes_with_the_same_bits(
    line: str, answers: Answers, prepared: dict[str, Project], tmp_path: Path
) -> None:
    project = prepared[name_of(answers)]
    processes = 2 if answers["parallelism"] != "single" else 0
    flags = (*SMALL, *line.split())
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    project.run("train", *flags, "--run-dir", whole.folder, processes=processes)
    start = ("train", *flags, "--run-dir", stopped.folder, "--resume")
    project.run(*start, "--max-hours", "1e-9", processes=processes)
    assert 0 < stopped.place().step < whole.place().step
    project.run(*start, "--max-hours", "1", processes=processes)
    assert_same_run(whole, stopped)
    asked = ("evaluate", whole.folder / "checkpoints/last.pt", "--json", "--device", "cpu")
    samples = ("--max-samples", "40") if "--max-samples" in line else ()
    found = json.loads(project.run(*asked, *samples, processes=processes))
    logged = whole.records()[-1]
    assert {name: found[name] for name in ("loss", "accuracy")} == {
        name: logged[name] for name in ("loss", "accuracy")
    }


@pytest.mark.parametrize("line", REFUSED)
def test_options_that_do_not_go_together_are_refused_in_one_line(
    line: str, prepared: dict[str, Project], tmp_path: Path
) -> None:
    project = prepared[name_of(STEPS[0])]
    flags = (*SMALL, *line.split(), "--run-dir", tmp_path / "run")
    said = project.refused("train", *flags)
    assert said.startswith("error: ") and said.count("\n") == 1 and REFUSED[line] in said, said
    assert not (tmp_path / "run").exists()
