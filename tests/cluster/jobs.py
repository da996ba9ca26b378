"""Jobs of the generated scripts: submitted, watched, and struck by what happens on clusters."""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from faults.runs import RunFolder
from matrix.commands import Project
from matrix.renderings import PACKAGE

from .conftest import FLAGS
from .slurm import Slurm

OPTIONS = ("--cpus-per-task", "1", "--time", "30")
RANK = rf"^\S*python\S* (-u )?-m {PACKAGE}\.train"


class Job:
    """A job that trains, by its number."""

    def __init__(
        self, slurm: Slurm, project: Project, number: str, folder: Path, pause: float
    ) -> None:
        self.slurm, self.project, self.number, self.pause = slurm, project, number, pause
        self.run = RunFolder(folder)

    @property
    def log(self) -> str:
        """What it has said so far, over all its starts."""
        file = self.project.folder / f"runs/job-{self.number}.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    @property
    def starts(self) -> int:
        return self.log.count(f"job {self.number}: start ")

    def is_at_work(self, epochs: int) -> bool:
        """Whether it has logged so many epochs, since it last started as well."""
        state = self.slurm.job(self.number)
        assert state["JobState"] not in ("FAILED", "COMPLETED", "TIMEOUT"), self.log
        said = self.log.rpartition(f"job {self.number}: start ")[2]
        return self.run.epochs_logged() >= epochs and "epoch " in said

    def until_at_work(self, more: int = 1) -> None:
        """Wait until it has trained for some more epochs."""
        epochs = self.run.epochs_logged() + more
        self.slurm.until(lambda: self.is_at_work(epochs), f"epoch {epochs}")

    def until_complete(self) -> None:
        """Wait for the end of the run."""
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
        state = self.slurm.wait(self.number, *ended, seconds=600)
        assert state["JobState"] == "COMPLETED", f"{state}\n{self.log}\n{self.slurm.told()}"
        assert f"job {self.number}: runs/{self.run.folder.name} is complete" in self.log

    def processes(self, said: str, node: str = "") -> list[int]:
        """Its processes whose command line has these words, on one node or on both."""
        return [
            pid
            for pid, variables, line in job_processes(self.number)
            if re.search(said, line) and (not node or variables.get("SLURMD_NODENAME") == node)
        ]

    def kill(self, said: str, node: str = "") -> None:
        """Kill its processes whose command line has these words."""
        found = self.processes(said, node)
        assert found, f"no process {said!r} on {node}:\n{self.log}"
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def job_processes(number: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """Each living process of a job: its number, its variables, its command line."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                content = (folder / "environ").read_bytes().decode(errors="replace")
                line = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue  # it has ended
            variables = dict(v.partition("=")[::2] for v in content.split("\0") if v)
            if variables.get("SLURM_JOB_ID") == number:
                yield int(folder.name), variables, line.replace("\0", " ").strip()


def submit(
    slurm: Slurm,
    project: Project,
    *options: object,
    flags: tuple[str, ...] = FLAGS,
    env: Mapping[str, str] = {},
) -> subprocess.CompletedProcess[str]:
    """Run `slurm/submit` on the first node."""
    line = ["bash", f"{project.folder}/slurm/submit", *OPTIONS, *options, "--", *flags]
    return subprocess.run(
        slurm.hosts.on("n1", line),
        env={**project.environment, **slurm.conf, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def queued(
    slurm: Slurm, project: Project, *options: object, run: str = "", pause: float = 0.0
) -> Job:
    """A job that `slurm/submit` has queued, with a new run or to go on with one.

    `pause` is in seconds, after each step.
    """
    env = {"PAUSE": str(pause)} | ({"RUN": run} if run else {})
    done = submit(slurm, project, *options, env=env)
    assert done.returncode == 0, done.stderr
    number = re.sub(r"\D.*", "", done.stdout.removeprefix("job "), flags=re.DOTALL)
    assert number and f"log: runs/job-{number}.log" in done.stdout, done.stdout
    return Job(slurm, project, number, project.folder / (run or f"runs/job-{number}"), pause)


Fault = Callable[[Job], Job]


def time_limit(job: Job) -> Job:
    """What Slurm does before a time limit."""
    job.slurm.run("scancel", "--batch", "--signal=USR1", job.number)
    return job


def slurmd_killed(node: str) -> Fault:
    """A node's daemon is lost; what it had started may end well before Slurm misses it."""

    def strike(job: Job) -> Job:
        job.slurm.kill_node(node)
        job.slurm.wait(job.number, "PENDING", "COMPLETED")
        job.slurm.start_node(node)
        return job

    return strike


def node_down(node: str) -> Fault:
    """An operator takes a node out, and gives it back once Slurm has queued the job again."""

    def strike(job: Job) -> Job:
        update = ("scontrol", "update", f"NodeName={node}")
        job.slurm.run(*update, "State=DOWN", "Reason=struck")
        job.slurm.wait(job.number, "PENDING")
        with contextlib.suppress(AssertionError):  # it may have come back by itself
            job.slurm.run(*update, "State=RESUME")
        return job

    return strike


def cancelled(job: Job) -> Job:
    """`scancel`; a new job goes on with the run."""
    job.slurm.run("scancel", job.number)
    job.slurm.wait(job.number, "CANCELLED")
    return queued(job.slurm, job.project, run=f"runs/{job.run.folder.name}", pause=job.pause)


def killed(said: str, node: str = "") -> Fault:
    def strike(job: Job) -> Job:
        job.kill(said, node)
        return job

    return strike


FAULTS: dict[str, Fault] = {
    "the time limit is near": time_limit,
    "a rank on n2 killed": killed(RANK, "n2"),
    "slurmd of n2 killed": slurmd_killed("n2"),
    "n2 set down": node_down("n2"),
    "scancel": cancelled,
}
