"""Running a rendered project's own command lines, each in processes of its own."""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from warm import python_for

from .renderings import PACKAGE

# what the user's own settings may not bring into a test
FOREIGN = (
    "WANDB_",
    "MLFLOW_",
    "TRACKIO_",
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

HIDDEN = Path(__file__).with_name("hidden")  # hides what a project needs none of


@dataclass
class Project:
    """A copy of a rendered project to work in, and what was run there."""

    folder: Path
    environment: dict[str, str]
    timeout: float = 200  # seconds for one command; most take about five
    warm: bool = True  # whether commands run in forks of a process that has imported torch
    ran: list[str] = field(default_factory=list)

    def run(self, module: str, *arguments: str | Path, processes: int = 0, exits: int = 0) -> str:
        """`python -m PACKAGE.module ...`, by torchrun where `processes` are given.

        Returns the standard output. Where the exit code is not `exits`, it fails with everything
        that the command said.
        """
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
        start = [*launcher, str(processes), "-m"] if processes else ["-m"]
        python = python_for(self.environment) if self.warm else sys.executable
        return self.python(*start, f"{PACKAGE}.{module}", *arguments, exits=exits, python=python)

    def refused(self, module: str, *arguments: str | Path) -> str:
        """What a command says on standard error that refuses its flags, with exit code 2."""
        python = python_for(self.environment) if self.warm else sys.executable
        command = [python, "-m", f"{PACKAGE}.{module}", *map(str, arguments)]
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
        assert (done.returncode, done.stdout) == (2, ""), (done.returncode, done.stdout)
        return done.stderr

    def python(self, *arguments: str | Path, exits: int = 0, python: str = sys.executable) -> str:
        """Run Python in the project; returns the standard output."""
        command = [python, *map(str, arguments)]
        self.ran.append(shlex.join(["python", *command[1:]]))
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self.environment | {"PYTHON_EXEC": python},  # which starts torchrun's ranks
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


def environment(home: Path) -> dict[str, str]:
    """The variables for a project's processes: pinned arithmetic, no account of the user's.

    A FutureWarning is an error, in the libraries too. No process can import the generator, Copier
    or torchvision.
    """
    home.mkdir(parents=True, exist_ok=True)
    own = {name: text for name, text in os.environ.items() if not name.startswith(FOREIGN)}
    own |= {"HOME": str(home), "USERPROFILE": str(home)}  # where W&B would look for a login
    own |= PINNED | {"PYTHONWARNINGS": "error::FutureWarning", "PYTHONUTF8": "1"}
    return own | {"PYTHONPATH": str(HIDDEN)}
