"""The share of random changes of the core that a project's own tests and `torchgen verify` notice.

    RANDOM=40 SEED=1 make test-random

prints both shares, and each change that nobody noticed: it is equivalent, or it wants a test.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.commands import Project, environment
from matrix.renderings import PACKAGE
from matrix.training import copy_of

from .conftest import TOLD
from .laboratory import Laboratory
from .random_changes import draw

pytestmark = [pytest.mark.mutants, pytest.mark.scheduled]

COUNT, SEED = int(os.environ.get("RANDOM", "20")), int(os.environ.get("SEED", "0"))
LEAST = 0.9
HANGS = 300  # seconds: no part of these tests takes half of that
OWN = ["tests/test_data.py", "tests/test_experiment.py", "tests/test_training.py"]
PROOFS = """
import subprocess, sys

def test_it_holds():
    asked = ["--data-dir", {data!r}, "--device", "cpu", "--num-workers", "1"]
    line = [sys.executable, "-m", "{package}.verify", *asked]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
"""


@pytest.fixture(scope="module")
def digits(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data that the project prepared before it was changed."""
    folder = tmp_path_factory.mktemp("digits")
    Project(home, environment(folder / "home")).run(
        "prepare", "--demo", "--data-dir", folder / "data"
    )
    return folder / "data"


@pytest.mark.parametrize("number", [*range(COUNT), None])
def test_a_change_is_tried_and_no_change_is_noticed(
    number: int | None,
    home: Path,
    digits: Path,
    laboratory: Laboratory,
    shared: Path,
    tmp_path: Path,
) -> None:
    tree = copy_of(home, tmp_path)
    change = None if number is None else draw(home / PACKAGE, COUNT, SEED)[number]
    if change:
        change.make(tree / PACKAGE)
    proofs = PROOFS.format(data=str(digits), package=PACKAGE)
    (tree / "tests" / "proofs.py").write_text(proofs, encoding="utf-8")

    def notices(*arguments: str) -> bool:
        name = f"random{number}-{arguments[-1].replace('/', '-')}"
        return laboratory.run_pytest(tree, ["-x", *arguments], name, HANGS).code != 0

    own = notices(*OWN)
    toy = ("-m", "not slow", "--confcutdir=tests/machinery", "tests/machinery")
    verified = own or notices("tests/proofs.py") or notices(*toy)
    if not change:
        assert not verified, "tests that fail anyway notice nothing"
        return
    (shared / "random").mkdir(exist_ok=True)
    record = {"change": str(change), "own": own, "verified": verified}
    (shared / "random" / f"{number}.json").write_text(json.dumps(record), encoding="utf-8")


@pytest.mark.last
def test_the_share_is_told(shared: Path, record_property: Callable[[str, object], None]) -> None:
    late = time.monotonic() + 3 * HANGS
    # another of pytest's workers may still try one
    while len(paths := sorted((shared / "random").glob("*.json"))) < COUNT:
        assert time.monotonic() < late, f"{len(paths)} of {COUNT} changes were tried"
        time.sleep(0.1)
    found = [json.loads(path.read_text()) for path in paths]
    own, verified = (sum(record[by] for record in found) for by in ("own", "verified"))
    missed = sorted(record["change"] for record in found if not record["verified"])
    told = (
        f"of {len(found)} random changes (seed {SEED}) the project's tests notice {own}, with "
        f"`torchgen verify` {verified}; nobody notices:"
    )
    record_property(TOLD, "\n  ".join([told, *missed]))
    assert verified >= LEAST * len(found)
