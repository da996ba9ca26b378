"""What the tests of clusters share: hosts, Slurm, and projects whose data is prepared."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from faults.conftest import show
from faults.runs import RunFolder
from matrix.answers import Answers, name_of
from matrix.commands import Project, environment
from matrix.renderings import PACKAGE, copy_template, render

from .hosts import Hosts
from .slurm import Slurm

__all__ = ["show"]

PLAIN = {"amp": "off", "data_format": "imagefolder", "logger": "none"}
FLAGS = ("--epochs", "8", "--num-workers", "0", "--width", "8", "--device", "cpu")
# an edit of `train`, so that a run takes a while without work for the processors
PAUSE = (
    'trainer.step(batch)\n            time.sleep(float(__import__("os").environ.get("PAUSE", 0)))\n'
)
NEEDED = {"ip": "iproute2", "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "munged": "munge"}


@pytest.fixture(scope="session")
def hosts() -> Iterator[Hosts]:
    """Two hosts; skips where there can be none."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("network namespaces need Linux and root")
    if missing := sorted({package for name, package in NEEDED.items() if not shutil.which(name)}):
        pytest.skip(f"needs Debian's {', '.join(missing)}")
    probe = f"tg{os.getpid()}probe"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no network namespaces")
    subprocess.run(["ip", "netns", "del", probe], check=True)
    with Hosts() as hosts:
        yield hosts


@pytest.fixture(scope="session")
def slurm(hosts: Hosts) -> Iterator[Slurm]:
    """A Slurm of both hosts."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        slurm = Slurm(hosts, folder)
        stack.callback(slurm.stop)
        try:
            slurm.start()
        except (AssertionError, OSError) as error:  # a machine may lack what it needs of the kernel
            pytest.skip(f"no Slurm starts here: {error}")
        yield slurm


class Projects:
    """Rendered projects with data, and what undisturbed runs of them end with."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._template = folder, copy_template(folder / "template")
        self._made: dict[str, Project] = {}
        self._whole: dict[str, RunFolder] = {}

    def make(self, answers: Answers) -> Project:
        """The project of these answers; its runs are the caller's, its other files are shared."""
        name = name_of(answers)
        if name not in self._made:
            tree = render(self._template, PLAIN | answers, self._folder / name)
            env = environment(self._folder / "home")
            env |= {"PATH": f"{Path(sys.executable).parent}:{env['PATH']}"}
            train = tree / PACKAGE / "train.py"
            code = train.read_text(encoding="utf-8")
            assert code.count("trainer.step(batch)\n") == 1
            code = code.replace("trainer.step(batch)\n", PAUSE)
            train.write_text(code, encoding="utf-8")
            project = Project(tree, env, warm=False)
            project.run("prepare", "--demo")
            self._made[name] = project
        return self._made[name]

    def whole(self, answers: Answers) -> RunFolder:
        """A run that nothing disturbed, of two local processes or of one."""
        name = name_of(answers)
        if name not in self._whole:
            project = self.make(answers)
            processes = 2 if answers["parallelism"] == "ddp" else 0
            project.run("train", "--run-dir", "runs/whole", *FLAGS, processes=processes)
            self._whole[name] = RunFolder(project.folder / "runs/whole")
        return self._whole[name]


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Projects:
    return Projects(tmp_path_factory.mktemp("projects"))
