"""Every benchmark runs: with one round, nothing of it is kept."""

import os
import subprocess
import sys

import pytest

from matrix.answers import ROOT

pytestmark = [pytest.mark.updates, pytest.mark.scheduled]

# by script: the flags of its shortest run; what its table must hold
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "generate.py": ("--rounds 1", ("`torchgen new --defaults`",)),
    "update.py": ("--rounds 1", ("`torchgen update`",)),
    "training.py": ("--before HEAD", ("a checkpoint of 1 GB",)),
    "explore.py": ("", ("a change of an answer",)),
}


def test_each_benchmark_is_tried() -> None:
    scripts = {
        path.name
        for path in (ROOT / "benchmarks").glob("*.py")
        if "argparse" in path.read_text(encoding="utf-8")
    }
    assert scripts == RUNS.keys()


@pytest.mark.parametrize("script", RUNS)
def test_a_benchmark_runs(script: str) -> None:
    flags, wanted = RUNS[script]
    before = (ROOT / "docs" / "performance.md").read_bytes()
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / script), *flags.split()],
        env=os.environ | {"TRY": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(words in done.stdout for words in wanted), done.stdout
    assert (ROOT / "docs" / "performance.md").read_bytes() == before
