"""A run of several hosts without Slurm: a torchrun on each, started and struck by hand."""

import contextlib
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Self

from faults.runs import RunFolder
from matrix.commands import Project
from matrix.renderings import PACKAGE

from .conftest import FLAGS
from .hosts import ADDRESSES, NAMES, Hosts

PATIENCE = 150.0  # seconds for anything that a run waits for
MARK = "CLUSTER_MARK"  # an environment variable: what a host's command starts inherits it
PORT = 29400
# torch 2.13 does not tell a machine that joins later where to meet, without it
ELASTIC = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}


class Nodes:
    """The commands of one run on the hosts; none of them is left behind."""

    def __init__(self, hosts: Hosts, project: Project, folder: Path) -> None:
        self.hosts, self.project, self._folder = hosts, project, folder
        self.name = f"runs/{uuid.uuid4().hex[:8]}"
        self.run = RunFolder(project.folder / self.name)
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._started:
            self.kill(name)

    def start(self, name: str, *command: object, pause: float = 0.0) -> None:
        """Start a command on a host; what it says is added to what was said there before."""
        own = {MARK: self._mark(name), "PAUSE": str(pause), **ELASTIC}
        with self._log(name).open("ab") as log:
            self._started[name] = subprocess.Popen(
                self.hosts.on(name, command),
                cwd=self.project.folder,
                env=self.project.environment | own,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def train(self, name: str, *, nnodes: str = "2", pause: float = 0.0) -> None:
        """Start the README's torchrun on a host."""
        torchrun = (
            *("torchrun", "--nnodes", nnodes, "--nproc-per-node", "1", "--max-restarts", "5"),
            *("--rdzv-backend", "c10d", "--rdzv-endpoint", f"n1:{PORT}"),
            *("--rdzv-id", self.run.folder.name),
            *("--rdzv-conf", "last_call_timeout=3", "--local-addr", ADDRESSES[name]),
        )
        run = ("--run-dir", self.name, "--resume", *FLAGS)
        self.start(name, *torchrun, "-m", f"{PACKAGE}.train", *run, pause=pause)

    def said(self, name: str) -> str:
        """What was said on a host."""
        return self._log(name).read_text(encoding="utf-8", errors="replace")

    def wait(self, name: str, seconds: float = PATIENCE) -> int:
        """Wait for the end of a host's command; returns its exit code."""
        try:
            return self._started[name].wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s:\n{self.everything()}") from None

    def finish(self) -> None:
        """Wait until all have ended well."""
        for name in self._started:
            assert self.wait(name) == 0, self.everything()

    def until_epoch(self, more: int = 1) -> None:
        """Wait until the run has trained for some more epochs."""
        epochs = self.run.epochs_logged() + more
        self.until(lambda: self.run.epochs_logged() >= epochs)
        assert self.run.epochs_logged() < int(FLAGS[1]), "too late to strike"

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        late = time.monotonic() + PATIENCE
        while not holds():
            ended = all(command.poll() is not None for command in self._started.values())
            assert time.monotonic() < late and not ended, self.everything()
            time.sleep(0.05)

    def kill_ranks(self, name: str) -> None:
        """Kill a host's training processes alone."""
        found = [
            pid
            for pid, line in self._processes(name)
            if "torchrun" not in line and f"-m {PACKAGE}.train" in line
        ]
        assert found, self.everything()
        for pid in found:
            kill(pid)

    def kill(self, name: str) -> None:
        """Kill all that runs on a host, as if its power was cut."""
        while found := self._processes(name):
            for pid, _ in found:
                kill(pid)
            self._started[name].wait()

    def everything(self) -> str:
        return "\n".join(f"--- {name}\n{self.said(name)}" for name in self._started)

    def _log(self, name: str) -> Path:
        return self._folder / f"said-{name}.txt"

    def _mark(self, name: str) -> str:
        return f"{self.name}-{name}"

    def _processes(self, name: str) -> list[tuple[int, str]]:
        wanted, found = f"{MARK}={self._mark(name)}".encode(), []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):  # it has ended
                    if wanted in (folder / "environ").read_bytes().split(b"\0"):
                        line = (folder / "cmdline").read_bytes().decode(errors="replace")
                        found.append((int(folder.name), line.replace("\0", " ")))
        return found


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


Fault = Callable[[Nodes], None]


def ranks_killed(*names: str) -> Fault:
    def strike(nodes: Nodes) -> None:
        for name in names:
            nodes.kill_ranks(name)

    return strike


def host_killed(name: str) -> Fault:
    """A host without power, which comes back; the other one waits for it."""

    def strike(nodes: Nodes) -> None:
        nodes.kill(name)
        nodes.train(name, pause=0.1)

    return strike


def first_host_killed(nodes: Nodes) -> None:
    """The host at whose port they meet: torchrun ends on the other one, too."""
    nodes.kill("n1")
    assert nodes.wait("n2") != 0
    for name in NAMES:
        nodes.train(name, pause=0.1)


def link_cut_shortly(nodes: Nodes) -> None:
    """What was sent meanwhile is sent again."""
    nodes.hosts.link("n2", "down")
    time.sleep(2)
    nodes.hosts.link("n2", "up")


FAULTS: dict[str, Fault] = {
    "the rank on n1 killed": ranks_killed("n1"),
    "the rank on n2 killed": ranks_killed("n2"),
    "both ranks killed": ranks_killed(*NAMES),
    "n2 killed": host_killed("n2"),
    "n1 killed": first_host_killed,
    "the link cut for 2 s": link_cut_shortly,
}
