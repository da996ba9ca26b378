"""What a project's own CI runs passes, in sets where parallelism and precision meet."""

import sys
from pathlib import Path

import pytest

from .answers import COVER, STEPS, Answers, name_of, third_of
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize("answers", third_of(STEPS), ids=name_of)
def test_a_projects_own_checks_pass(
    answers: Answers, trees: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(trees[name_of(answers)], tmp_path)
    project = Project(folder, environment(tmp_path / "home", hide=True), timeout=800)
    project.python("-m", "ruff", "check", "--no-respect-gitignore")
    project.python("-m", "ruff", "format", "--check", "--no-respect-gitignore")
    own_base = f"--basetemp={tmp_path / 'pytest'}"
    said = project.python("-m", "pytest", "-q", "-p", "no:cacheprovider", own_base)
    assert " passed" in said.splitlines()[-1]
    left = {path.name for path in folder.iterdir()} - {
        path.name for path in trees[name_of(answers)].iterdir()
    }
    assert left <= {".ruff_cache", "__pycache__"}, f"the tests left {left} behind"


def test_nothing_that_is_hidden_can_be_imported(tmp_path: Path) -> None:
    project = Project(tmp_path, environment(tmp_path / "home", hide=True))
    for name in ("copier", "torchgen_cli", "torchvision"):
        with pytest.raises(pytest.fail.Exception, match="is hidden from this process"):
            project.python("-c", f"import {name}")
    assert project.python("-c", "import sys; print(sys.executable)").strip() == sys.executable


def test_packages_type_check(trees: dict[str, Path], tmp_path: Path) -> None:
    shared_cache = tmp_path / "cache"  # torch is read once for all
    for answers in COVER:
        project = Project(trees[name_of(answers)], environment(tmp_path / "home"))
        options = ("--ignore-missing-imports", "--cache-dir", shared_cache)
        project.python("-m", "mypy", *options, PACKAGE)
