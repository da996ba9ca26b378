"""Every benchmark runs: with little data and one round, nothing of it is kept.

It fails as soon as a benchmark asks for a module, a function or a setting that projects no longer
have. The peers' libraries are not needed; what they are compared with is.
"""

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
    "readers.py": ("--rounds 1", ("hdf5: ours", "lmdb: ours", "imagefolder: ours")),
    "rivals.py": ("--rounds 1 --size 32 --only encoded lmdb", ("ours, lmdb --encoded",)),
    "workers.py": ("--rounds 1 --samples 20000", ("ours, lmdb, forkserver", "a thread")),
    "loop.py": ("--rounds 1 --only steps", ("| ours |", "by hand, `--kept`", "ddp, fp16")),
    "stall.py": ("--rounds 1 --width 8", ("**ours**",)),
    "choices.py": ("--rounds 1", ("PyTorch's usual layout", "`--compile`")),
    "memory.py": ("--rounds 1", ("**kept**",)),
    "toolbox.py": ("--seeds 1 --epochs 2 --only default mixup", ("| mixup |", "from five other")),
    "check_data.py": ("", ("cut off half way",)),
    "service.py": ("", ("clients", "images/s")),
    "scaling.py": ("", ("| windows |", "computed: ResNet-50 by DDP")),
    "gpu.py": ("--device cpu --seconds 0.2", ("ResNet-50", "imagefolder --cache memory")),
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
    before = (ROOT / "benchmarks" / "README.md").read_bytes()
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
    assert (ROOT / "benchmarks" / "README.md").read_bytes() == before
