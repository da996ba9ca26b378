"""Commands of a rendered project as real processes: watched, signalled and killed from outside."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Self

from matrix.commands import Project
from matrix.renderings import PACKAGE

MARK = "FAULTS_MARK"  # an environment variable: whatever a command starts inherits it
GONE_WITHIN = 10.0  # seconds, as promised: a worker looks for its parent every five
PATIENCE = 120.0  # seconds for anything else: far more than it takes, so that a hang shows
# what torchrun prints of its own does not go through the package
OUR_TRACEBACK = re.compile(rf'File ".*[/\\]{PACKAGE}[/\\]')
MONITOR = "wandb-symon"  # W&B's own: looks for its parent every five seconds, and ends
TICK = 0.0003  # seconds between two looks: a checkpoint is written in milliseconds


class Ended(Exception):
    """A command ended while something else was waited for."""


class Life:
    """One start of a command, with all processes that it starts in turn.

    As a context manager it leaves none of them behind, however the test ends.
    """

    def __init__(self, project: Project, command: list[str]) -> None:
        self.mark = uuid.uuid4().hex
        self.log = project.folder / f"said-{self.mark}.txt"
        with self.log.open("wb") as file:
            self.process = subprocess.Popen(
                command,
                cwd=project.folder,
                env=project.environment | {MARK: self.mark, "PYTHON_EXEC": command[0]},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a process group of its own, as a shell gives
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill_all()

    @property
    def said(self) -> str:
        """What all of its processes have printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def until(self, holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until something holds; raises Ended where the command ends before."""
        late = time.monotonic() + seconds
        while not holds():
            if self.process.poll() is not None:
                raise Ended(self.said)
            assert time.monotonic() < late, f"nothing happened in {seconds} s:\n{self.said}"
            time.sleep(TICK)

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the end; returns the exit code."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s:\n{self.said}") from None

    def family(self) -> dict[int, str]:
        """Each living process of this start by its number, with its command line.

        A warm one has its server's variables in /proc, but prints to this start's own file.
        """
        found = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:  # of a process that has ended, but was not waited for, it is empty
                    environment = (folder / "environ").read_bytes()
                    marked = f"{MARK}={self.mark}".encode() in environment.split(b"\0")
                    if marked or (folder / "fd" / "2").samefile(self.log):
                        line = (folder / "cmdline").read_bytes().decode(errors="replace")
                        found[int(folder.name)] = line.replace("\0", " ").strip()
                except OSError:
                    continue  # it has ended, or is another user's
        return found

    def ranks(self) -> list[int]:
        """The processes that torchrun started, in the order of their ranks."""
        found = {}
        for pid in self.family():
            if parent_of(pid) == self.process.pid:
                variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                rank = next((v for v in variables if v.startswith(b"RANK=")), None)
                if rank is not None:
                    found[int(rank.removeprefix(b"RANK="))] = pid
        return [found[rank] for rank in sorted(found)]

    def seconds_until_gone(self, limit: float) -> float:
        """Wait until none of its processes is left; fails when that takes longer than `limit`."""
        began = time.monotonic()
        while left := {pid: line for pid, line in self.family().items() if MONITOR not in line}:
            took = time.monotonic() - began
            assert took < limit, f"left over after {took:.1f} s: {left}\n{self.said}"
            time.sleep(0.01)
        return time.monotonic() - began

    def kill_all(self) -> None:
        """SIGKILL for the command first, then for all that it has started."""
        self.process.kill()
        self.process.wait()
        while left := self.family():
            for pid in left:
                kill(pid, signal.SIGKILL)


def command(
    module: str, *flags: object, processes: int = 0, python: str = sys.executable
) -> list[str]:
    """The line for `python -m PACKAGE.module ...`, by torchrun where `processes` are given."""
    start = [*torchrun(processes, python), "-m"] if processes else [python, "-m"]
    return [*start, f"{PACKAGE}.{module}", *map(str, flags)]


def torchrun(processes: int, python: str = sys.executable) -> list[str]:
    """The launcher, told to pass SIGUSR1 on as well."""
    handled = ("--signals-to-handle", "SIGTERM,SIGINT,SIGUSR1")
    count = ("--standalone", "--nproc-per-node", str(processes))
    return [python, "-m", "torch.distributed.run", *handled, *count]


def kill(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def parent_of(pid: int) -> int:
    """The number of a process's parent; 0 where the process has ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(status.rpartition(")")[2].split()[1])  # the name before it may hold anything
