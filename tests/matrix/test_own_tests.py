"""What a project's own CI runs passes, in sets where parallelism and precision meet."""

import shutil
import sys
from pathlib import Path

import pytest

from .answers import COVER, STEPS, Answers, name_of
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke


# all quick tests where parallelism differs, and of the slow ones those where processes have to
# agree; the other sets run what depends on their answers, but one set in shards is enough, and
# two processes there
WHOLE_IN = [next(a for a in STEPS if a["parallelism"] == one) for one in ("single", "ddp")]
SHARDED = [a for a in STEPS if a["parallelism"] == "fsdp"]
ROOMS = ("tests/data", "tests/report", "tests/toolbox", "tests/tools")
DEPENDENT = ("tests/engine", "tests/experiment", "tests/report", "tests/verify")
PARTS = {
    "quick": ("not slow",),
    "slow": ("slow",),
    "slow, but for whole commands": ("slow", *ROOMS, "-k", "not serve and not sweep and not onnx"),
    "slow in the engine": ("slow", "tests/engine"),
    "slow in the engine, by two": ("slow", "tests/engine", "-k", "not [3"),
    "dependent": ("not slow", *DEPENDENT),
}
OFTEN = [(a, "quick" if a in WHOLE_IN else "dependent") for a in STEPS if a not in SHARDED[1:]]
OFTEN += [(WHOLE_IN[0], "slow, but for whole commands")]
OFTEN += [(WHOLE_IN[1], "slow in the engine"), (SHARDED[0], "slow in the engine, by two")]
RARELY = [(a, part) for a in STEPS for part in ("quick", "slow") if (a, part) not in OFTEN]


@pytest.mark.parametrize(
    ("answers", "part"),
    [*OFTEN, *(pytest.param(*one, marks=pytest.mark.scheduled) for one in RARELY)],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_a_projects_own_checks_pass(
    answers: Answers, part: str, trees: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(trees[name_of(answers)], tmp_path)
    project = Project(folder, environment(tmp_path / "home"), timeout=800)
    project.python("-m", "ruff", "check", "--no-respect-gitignore")
    project.python("-m", "ruff", "format", "--check", "--no-respect-gitignore")
    marked, *chosen = PARTS[part]
    options = ("-q", "-m", marked, "-p", "no:cacheprovider", *chosen)
    said = project.python("-m", "pytest", *options, f"--basetemp={tmp_path / 'pytest'}")
    assert " passed" in said.splitlines()[-1]
    left = {path.name for path in folder.iterdir()} - {
        path.name for path in trees[name_of(answers)].iterdir()
    }
    assert left <= {".ruff_cache", "__pycache__"}, f"the tests left {left} behind"


def test_nothing_that_is_hidden_can_be_imported(tmp_path: Path) -> None:
    project = Project(tmp_path, environment(tmp_path / "home"))
    for name in ("copier", "torchgen_cli", "torchvision"):
        with pytest.raises(pytest.fail.Exception, match="is hidden from this process"):
            project.python("-c", f"import {name}")
    assert project.python("-c", "import sys; print(sys.executable)").strip() == sys.executable


@pytest.mark.parametrize("sets", [STEPS, pytest.param(COVER, marks=pytest.mark.scheduled)])
def test_packages_type_check(sets: list[Answers], trees: dict[str, Path], tmp_path: Path) -> None:
    # by one run, which reads torch once for all; their imports are relative
    names = [name_of(answers).replace("-", "_") for answers in sets]
    for answers, name in zip(sets, names, strict=True):
        shutil.copytree(trees[name_of(answers)] / PACKAGE, tmp_path / "packages" / name)
    project = Project(tmp_path / "packages", environment(tmp_path / "home"))
    said = project.python("-m", "mypy", "--ignore-missing-imports", *names)
    modules = len(list((tmp_path / "packages").rglob("*.py")))
    assert said == f"Success: no issues found in {modules} source files\n"
