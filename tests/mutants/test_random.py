"""The share of random changes to a project's code that its own tests notice.

    RANDOM=100 SEED=1 make test-random

prints the share, and each change that nobody noticed: it is either equivalent, or it wants a test.
"""

import json
import os
from pathlib import Path

import pytest

from matrix.answers import name_of
from matrix.renderings import PACKAGE
from matrix.training import copy_of

from .laboratory import Laboratory
from .mutant import HOMES
from .random_changes import draw

pytestmark = pytest.mark.random

OF_IMAGES = {"prepare.py", "model.py", "task.py", "augment.py", "optim.py"} | {
    f"data/{name}.py"
    for name in (
        *("convert", "fill", "folders", "images", "lmdb_file", "loose"),
        *("source", "storage", "survey"),
    )
}
HANGS = 240  # seconds: no part of a project's tests takes half of that
LEAST = 0.7  # about a tenth of them are equivalent, or matter on a GPU alone
COUNT, SEED = int(os.environ.get("RANDOM", "100")), int(os.environ.get("SEED", "0"))


def nearest_first(tree: Path, changed: str) -> list[str]:
    """A project's test files, first those of the changed file and of its folder."""
    of_file, folder = f"test_{Path(changed).stem}.py", Path(changed).parent.name

    def far(path: Path) -> tuple[bool, bool, Path]:
        return path.name != of_file, path.parent.name != (folder or "experiment"), path

    paths = sorted((tree / "tests").rglob("test_*.py"), key=far)
    return [path.relative_to(tree).as_posix() for path in paths]


def that_can_notice(changed: str, files: list[str]) -> list[str]:
    """The files whose slow tests may notice: those of the machinery have a toy for images."""
    if changed.startswith("report/"):
        wanted = ("tests/report/", "tests/experiment/", "tests/engine/test_engine_settings")
    elif changed in OF_IMAGES:
        wanted = ("tests/data/", "tests/experiment/")
    else:
        return files
    return [file for file in files if file.startswith(wanted)]


@pytest.mark.parametrize("number", range(COUNT))
def test_a_change_is_tried(
    number: int, homes: dict[str, Path], laboratory: Laboratory, shared: Path, tmp_path: Path
) -> None:
    home = homes[name_of(HOMES[number % len(HOMES)])]
    change = draw(home / PACKAGE, COUNT, SEED)[number]
    tree = copy_of(home, tmp_path)
    change.make(tree / PACKAGE)
    files = nearest_first(tree, change.file)

    def notices(part: str, files: list[str]) -> bool:
        arguments = ["-x", "-m", part, *files]
        code = laboratory.run_pytest(tree, arguments, f"random{number}-{part}", HANGS).code
        return code not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)

    slow = that_can_notice(change.file, files)
    noticed = notices("not slow", files) or notices("slow", slow)
    (shared / "random").mkdir(exist_ok=True)
    record = {"change": f"{home.name}: {change}", "noticed": noticed}
    (shared / "random" / f"{number}.json").write_text(json.dumps(record), encoding="utf-8")


@pytest.mark.last
def test_the_share_is_told(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [json.loads(path.read_text()) for path in sorted((shared / "random").glob("*.json"))]
    missed = sorted(record["change"] for record in found if not record["noticed"])
    with capsys.disabled():
        print(f"\n{len(found) - len(missed)} of {len(found)} random changes noticed (seed {SEED})")
        print(*missed, sep="\n")
    assert 1 - len(missed) / len(found) >= LEAST
