"""The generated batch script on a real Slurm: whatever happens, the run ends with the same bits."""

import shutil
import subprocess
from pathlib import Path

import pytest

from faults.conftest import Show
from faults.runs import RunFolder, assert_same_run

from .conftest import Projects
from .jobs import FAULTS, queued, submit
from .slurm import Slurm

pytestmark = pytest.mark.cluster

DDP = {"parallelism": "ddp", "launcher": "slurm"}
SINGLE = {"parallelism": "single", "launcher": "slurm"}
KINDS = {"ddp": DDP, "single": SINGLE}


def test_two_nodes_give_the_bits_of_two_local_processes(slurm: Slurm, projects: Projects) -> None:
    job = queued(slurm, projects.make(DDP))
    job.until_complete()
    assert_same_run(job.run, projects.whole(DDP))
    logs = sorted(job.run.folder.glob("logs/start-1/*/*/attempt_0/0/stdout.log"))
    assert [log.relative_to(job.run.folder).parts[2] for log in logs] == ["n1", "n2"]
    assert "done: 8 epochs" in logs[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["ddp"])
def test_a_time_limit_is_gone_through_again_and_again(
    slurm: Slurm, projects: Projects, kind: str
) -> None:
    # Slurm may be a minute early; the steps take longer than the rest, whatever a start takes
    limit = ("--time", "2", "--signal", "B:USR1@15")
    job = queued(slurm, projects.make(KINDS[kind]), *limit, pause=0.6)
    job.until_complete()
    assert job.starts >= 2 and "the time limit is near" in job.log
    assert_same_run(job.run, projects.whole(KINDS[kind]))


STRUCK = ["the time limit is near", "a rank on n2 killed", "slurmd of n2 killed"]
BY_HAND = ["n2 set down", "scancel", "the time limit is near"]


@pytest.mark.parametrize(
    ("kind", "faults"),
    [
        ("ddp", STRUCK),
        pytest.param("ddp", BY_HAND, marks=pytest.mark.scheduled),
        pytest.param("ddp", [*BY_HAND[1:], *STRUCK[1:]], marks=pytest.mark.scheduled),
    ],
)
def test_a_run_that_is_struck_ends_with_the_same_bits(
    slurm: Slurm, projects: Projects, kind: str, faults: list[str], show: Show
) -> None:
    job = queued(slurm, projects.make(KINDS[kind]), pause=0.15)
    for name in faults:
        job.until_at_work()
        before = job.run.place()
        job = FAULTS[name](job)
        show(f"{kind}, {name}: struck after step {before.step}")
    job.until_complete()
    assert_same_run(job.run, projects.whole(KINDS[kind]))


def test_an_array_trains_a_run_for_each_seed(slurm: Slurm, projects: Projects) -> None:
    project = projects.make(SINGLE)
    array = queued(slurm, project, "--array", "0-1")
    folder = project.folder / f"runs/job-{array.number}"
    slurm.until(lambda: not slurm.run("squeue", "--noheader").strip(), "both have ended")
    runs = [RunFolder(folder / f"seed-{seed}") for seed in (0, 1)]
    assert_same_run(runs[0], projects.whole(SINGLE))
    assert runs[1].records() != runs[0].records()
    assert runs[1].state("last.pt")["config"]["seed"] == 1


REFUSED = {
    "no such partition": (("--partition", "gpus"), (), "invalid partition"),
    "more nodes than there are": (("--nodes", "3"), (), "node configuration is not available"),
    "no such option of sbatch": (("--tme", "5"), (), "unrecognized option '--tme'"),
    "no such flag": ((), ("--epoch", "3"), "--epochs INT"),
}


@pytest.mark.parametrize(("options", "flags", "why"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused_in_one_line_and_not_queued(
    slurm: Slurm, projects: Projects, options: tuple[str, ...], flags: tuple[str, ...], why: str
) -> None:
    done = submit(slurm, projects.make(DDP), *options, flags=flags)
    assert done.returncode != 0 and done.stdout == "", done.stdout
    if not flags:  # which tyro refuses, in a frame
        assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    assert why in done.stderr


def test_without_slurm_submit_says_where_to_run_it(projects: Projects, tmp_path: Path) -> None:
    project = projects.make(DDP)
    (tmp_path / "dirname").symlink_to(shutil.which("dirname") or "")
    line = [shutil.which("bash") or "bash", "slurm/submit"]
    env = project.environment | {"PATH": str(tmp_path)}
    done = subprocess.run(
        line, cwd=project.folder, env=env, capture_output=True, text=True, check=False
    )
    said = "error: there is no sbatch here: run this on a login node\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
