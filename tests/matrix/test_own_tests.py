"""What a project's own CI runs passes: its lint and its tests, in covering projects."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from .answers import EXTRAS, PAIR, SMOKE, Answers, name_of, with_extras
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke

# With one process the slow ones, too. Of the sets with all extras each commit runs what no other
# set has; `make test-all` runs all.
MACHINERY, LOADER, RANKS = (f"tests/machinery{part}" for part in ("", "/data", "/ranks"))
WITH_ALL = [with_extras(answers, *EXTRAS) for answers in PAIR]
OF_EXTRAS = [f"tests/{extra.replace('-', '_')}" for extra in EXTRAS]
CASES = [
    (PAIR[0], "", ["tests"]),
    *((answers, "not slow", ["tests"]) for answers in PAIR[1:]),
    (with_extras(PAIR[0], "verify"), "", [MACHINERY]),
    (WITH_ALL[0], "", [*OF_EXTRAS, LOADER]),
    (WITH_ALL[1], "not slow", [RANKS, LOADER]),
    *(pytest.param(answers, "", ["tests"], marks=pytest.mark.scheduled) for answers in WITH_ALL),
]


@pytest.mark.parametrize(
    ("answers", "marked", "folders"),
    CASES,
    ids=lambda v: (
        name_of(v) if isinstance(v, dict) else v[0] if isinstance(v, list) else v or "all"
    ),
)
def test_a_projects_own_checks_pass(
    answers: Answers,
    marked: str,
    folders: list[str],
    trees: Mapping[str, Path],
    extra_trees: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    tree = (extra_trees if "extras" in answers else trees)[name_of(answers)]
    folder = copy_of(tree, tmp_path)
    project = Project(folder, environment(tmp_path / "home"), timeout=800)
    chosen = [name for name in folders if (folder / name).exists()]
    options = ("-q", "-m", marked, "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'pytest'}")
    said = project.python("-m", "pytest", *options, *chosen)
    assert " passed" in said.splitlines()[-1]
    left = {path.name for path in folder.iterdir()} - {path.name for path in tree.iterdir()}
    assert left <= {".ruff_cache", "__pycache__"}, f"the tests left {left} behind"


def test_nothing_that_is_hidden_can_be_imported(tmp_path: Path) -> None:
    project = Project(tmp_path, environment(tmp_path / "home"))
    for name in ("copier", "torchgen_cli", "torchvision"):
        with pytest.raises(pytest.fail.Exception, match="is hidden from this process"):
            project.python("-c", f"import {name}")


@pytest.mark.scheduled
def test_packages_type_check(
    trees: Mapping[str, Path], extra_trees: Mapping[str, Path], tmp_path: Path
) -> None:
    # by one run, which reads torch once for all; their imports are relative
    sets = [*SMOKE[:6], *(with_extras(answers, *EXTRAS) for answers in PAIR)]
    names = [re.sub(r"\W", "_", name_of(answers)) for answers in sets]
    for answers, name in zip(sets, names, strict=True):
        tree = (extra_trees if "extras" in answers else trees)[name_of(answers)]
        shutil.copytree(tree / PACKAGE, tmp_path / "packages" / name)
    project = Project(tmp_path / "packages", environment(tmp_path / "home"), timeout=600)
    said = project.python("-m", "mypy", "--ignore-missing-imports", *names)
    modules = len(list((tmp_path / "packages").rglob("*.py")))
    assert said == f"Success: no issues found in {modules} source files\n"
