"""Running a rendered project's own command lines, each in processes of its own."""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from .renderings import PACKAGE

# what the user's own settings may not bring into a test
FOREIGN = (
    "WANDB_",
    "MLFLOW_",
    "PYTHON",
    "TORCH",
    "NCCL_",
    "RANK",
    "LOCAL_",
    "WORLD_SIZE",
    "MASTER_",
)

# what else decides the bits of a CPU: which instructions the libraries may use
PINNED = {
    "OMP_NUM_THREADS": "1",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",
}

# a project needs none of these: found at import time of every process of the command
HIDE = """
import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("copier", "torchgen_cli", "torchvision"):
            raise ModuleNotFoundError(f"{name} is hidden from this process")


sys.meta_path.insert(0, Hidden())
"""


@dataclass
class Project:
    """A copy of a rendered project to work in, and what was run there."""

    folder: Path
    environment: dict[str, str]
    timeout: float = 200  # seconds for one command; most take about five
    ran: list[str] = field(default_factory=list)

    def run(self, module: str, *arguments: str | Path, processes: int = 0, exits: int = 0) -> str:
        """`python -m PACKAGE.module ...`, by torchrun where `processes` are given.

        Returns the standard output. Where the exit code is not `exits`, it fails with everything
        that the command said.
        """
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
        start = [*launcher, str(processes), "-m"] if processes else ["-m"]
        return self.python(*start, f"{PACKAGE}.{module}", *arguments, exits=exits)

    def python(self, *arguments: str | Path, exits: int = 0) -> str:
        """Run Python in the project; returns the standard output."""
        command = [sys.executable, *map(str, arguments)]
        self.ran.append(shlex.join(["python", *command[1:]]))
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            said = f"{late.stdout!r}\n{late.stderr!r}".replace("\\n", "\n")
            pytest.fail(f"{self.ran[-1]}\ntook over {self.timeout} s\n{said}")
        if done.returncode != exits:
            pytest.fail(
                f"in {self.folder}\n{self.ran[-1]}\nexited with {done.returncode}\n"
                f"--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}"
            )
        return done.stdout


def environment(home: Path, *, hide: bool = False) -> dict[str, str]:
    """The variables for a project's processes: pinned arithmetic, no account of the user's.

    A FutureWarning is an error, in the libraries too. With `hide` no process can import the
    generator, Copier or torchvision.
    """
    home.mkdir(parents=True, exist_ok=True)
    own = {name: text for name, text in os.environ.items() if not name.startswith(FOREIGN)}
    own |= {"HOME": str(home), "USERPROFILE": str(home)}  # where W&B would look for a login
    own |= PINNED | {"PYTHONWARNINGS": "error::FutureWarning", "PYTHONUTF8": "1"}
    if hide:
        (home / "sitecustomize.py").write_text(HIDE, encoding="utf-8")
        own["PYTHONPATH"] = str(home)
    return own
