"""The checks of the matrix can fail: each is shown a project with one fault more."""

import json
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from . import code, text
from .answers import SETS, Answers, name_of
from .commands import Project, environment
from .renderings import PACKAGE
from .stores import READERS, check_store
from .test_render import RULES, ruff
from .training import copy_of

PLAINEST: Answers = next(
    answers for answers in SETS if set(answers.values()) == {"single", "off", "hdf5", "none"}
)
Check = Callable[[Path], Iterable[str]]
words: Check = partial(text.foreign_words, answers=PLAINEST)
MODEL, OPTIM, README = f"{PACKAGE}/model.py", f"{PACKAGE}/optim.py", "README.md"

FAULTS: list[tuple[Check, str, str, str]] = [
    # check, file, what is added at its end, what the finding says
    (words, MODEL, "# as under Torchrun\n", "Torchrun"),
    (words, MODEL, "LOCAL_RANK = 0\n", "RANK"),
    (words, MODEL, "# or use torch.float16\n", "float16"),
    (words, README, "The curves are in TensorBoard.\n", "TensorBoard"),
    (words, f"{PACKAGE}/lmdb.py", "", "its name says lmdb"),
    (words, ".gitignore", "/wandb/\n", "wandb"),
    (text.stray_blanks, README, "A line. \n", "a blank at the end of a line"),
    (text.stray_blanks, README, "\n\nA line.\n", "more than 1 blank lines"),
    (text.stray_blanks, README, "\n", "a blank line at its end"),
    (text.stray_blanks, "pyproject.toml", "[tool]", "no newline at its end"),
    (text.stray_blanks, "pyproject.toml", "[a]\n\tb = 1\n", "a tab"),
    (text.stray_blanks, MODEL, "\n\n\nA = 1\n", "more than 2 blank lines"),
    (text.stray_blanks, ".gitignore", "a\r\n", "a carriage return"),
    (text.leftovers, MODEL, "# {% if amp %}\n", "'{%'"),
    (text.leftovers, README, "{{ project_name }}\n", "project_name"),
    (text.leftovers, README, "python -m myproj.train\n", "myproj"),
    (text.leftovers, "empty.txt", "", "empty"),
    (text.module_names, README, "See `lost.py`.\n", "lost.py"),
    (text.module_names, README, "See `data/model.py`.\n", "data/model.py"),
    (text.module_names, f"{PACKAGE}/silent.py", "A = 1\n", "silent.py"),
    (text.module_names, f"{PACKAGE}/silent/__init__.py", "", "silent/"),
    (code.unused, MODEL, "def stray() -> int:\n    return stray()\n", "stray is never used"),
    (code.unused, MODEL, "STRAY = 1\n", "STRAY is never used"),
    (code.unused, MODEL, "class Stray:\n    stray_field: int = 1\n", "stray_field is never used"),
    (code.undeclared, MODEL, "import pandas\n", "pandas"),
    (code.undeclared, MODEL, "def f():\n    import pandas\n", "pandas"),
    (code.undeclared, MODEL, "import pytest\n", "pytest, which it does not depend on"),
    (
        code.upward,
        f"{PACKAGE}/base/files.py",
        "from ..data import cache\n",
        "files.py:41 imports data",
    ),
    (code.upward, f"{PACKAGE}/data/cache.py", "from ..config import Config\n", "imports config"),
    (code.upward, f"{PACKAGE}/engine/step.py", "from .. import verify\n", "imports verify"),
    (code.upward, f"{PACKAGE}/engine/step.py", "from ..train import main\n", "imports train"),
    (code.upward, f"{PACKAGE}/verify/runs.py", f"import {PACKAGE}.train\n", "imports train"),
    (code.upward, f"{PACKAGE}/predict.py", "from .evaluate import main\n", "imports evaluate"),
    (code.upward, MODEL, "def f():\n    from .engine import log\n", "imports engine"),
    (code.upward, MODEL, "from .task import Task\n", "model may import base, config"),
    (code.upward, MODEL, "import tqdm\n", "tqdm"),
]


@pytest.fixture
def tree(trees: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of the plainest project, to spoil."""
    return copy_of(trees[name_of(PLAINEST)], tmp_path)


@pytest.mark.parametrize(("check", "file", "added", "finding"), FAULTS)
def test_a_planted_fault_is_found(
    tree: Path, check: Check, file: str, added: str, finding: str
) -> None:
    before = set(check(tree))
    spoil(tree / file, added)
    new = set(check(tree)) - before
    assert any(finding in line for line in new), new


def test_an_unneeded_dependency_is_found(tree: Path) -> None:
    path = tree / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"tqdm', '"requests", "tqdm'))
    assert "requests is declared, but nothing imports it" in set(code.undeclared(tree))


def test_the_line_on_how_to_change_an_answer_is_allowed_once(tree: Path) -> None:
    before = set(words(tree))
    readme = tree / README
    lines = readme.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if "torchgen set" not in line]
    hint = "Change an answer: `torchgen set parallelism=ddp`"
    readme.write_text("\n".join([*kept, hint]), encoding="utf-8")
    assert set(words(tree)) <= before
    readme.write_text("\n".join([*kept, hint, hint]), encoding="utf-8")
    assert any("ddp" in line for line in set(words(tree)) - before)


@pytest.mark.parametrize(
    ("command", "added"),
    [
        (("check", *RULES), "import os\n"),
        (("check", *RULES), "\n\ndef f(unused: int) -> int:\n    return 1\n"),
        (("format", "--check"), "x=1\n"),
    ],
    ids=["unused import", "unused argument", "not formatted"],
)
def test_ruff_sees_a_planted_fault(tree: Path, command: tuple[str, ...], added: str) -> None:
    spoil(tree / OPTIM, added)
    with pytest.raises(AssertionError, match=r"optim\.py"):
        ruff(*command, "--no-cache", "--no-respect-gitignore", tree)


LOG = f"""
import json, sys
from pathlib import Path
from {PACKAGE}.engine.tracker import Tracker
records = json.loads(sys.argv[1])
tracker = Tracker(Path("run"), {{"lr": 0.1, "none": None, "yes": True}})
for record in records:
    tracker.log(record)
tracker.finish({{"best_accuracy": 0.5, "loss": 1.25, "accuracy": 0.5}})
tracker.close()
"""
TRAIN = {"split": "train", "epoch": 1, "step": 3, "loss": 1.1, "accuracy": 0.25, "lr": 0.001}
VAL = {"split": "val", "epoch": 1, "step": 3, "loss": 1.25, "accuracy": 0.5}


@pytest.mark.smoke
@pytest.mark.parametrize("logger", READERS)
def test_a_point_too_few_too_many_or_too_high_is_found(
    trees: dict[str, Path], tmp_path: Path, logger: str
) -> None:
    answers = next(answers for answers in SETS if answers["logger"] == logger)
    project = Project(copy_of(trees[name_of(answers)], tmp_path), environment(tmp_path / "home"))

    def store(records: list[dict[str, Any]], **settings: object) -> Path:
        run_dir = project.folder / "run"
        shutil.rmtree(run_dir, ignore_errors=True)
        run_dir.mkdir()
        settings = {"lr": 0.1, "none": None, "yes": True} | settings
        (run_dir / "config.json").write_text(json.dumps(settings), encoding="utf-8")
        project.python("-c", LOG, json.dumps(records))
        return run_dir

    check_store(logger, store([TRAIN, VAL]), [TRAIN, VAL])
    for wrong in ([VAL], [TRAIN | {"loss": 1.2}, VAL], [TRAIN, VAL, VAL | {"step": 6}]):
        with pytest.raises(AssertionError):
            check_store(logger, project.folder / "run", wrong)
    with pytest.raises(AssertionError):
        check_store("none", project.folder / "run", [TRAIN, VAL])
    with pytest.raises(AssertionError):  # there are no figures
        check_store(logger, project.folder / "run", [TRAIN, VAL], reported=True)
    with pytest.raises(AssertionError, match="lr"):
        check_store(logger, store([TRAIN, VAL], lr=0.2), [TRAIN, VAL])
    if logger == "tensorboard":  # the one that does not keep a second point out by itself
        with pytest.raises(AssertionError):
            check_store(logger, store([TRAIN, VAL, VAL]), [TRAIN, VAL])


def spoil(path: Path, added: str) -> None:
    """Add text at a file's end."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(added)
