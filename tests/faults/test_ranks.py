"""Ranks and workers that are lost, and other numbers of ranks than before."""

import signal
import socket
import time
from contextlib import ExitStack
from functools import partial

import pytest

from .conftest import Show
from .processes import GONE_WITHIN, OUR_TRACEBACK, Life, kill, parent_of
from .runs import assert_each_line_once, assert_same_run
from .trials import EPOCHS, STEPS, Trial, check_start, wait_for_an_epoch

pytestmark = pytest.mark.faults

# of a mean loss: batch norm takes its statistics over a rank's own share of a batch
TOLERANCE = 0.1
STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
LOST_WITHIN = 15.0  # seconds from the loss of one process to the end of all others


@pytest.mark.parametrize("parallelism", ["ddp"])
def test_other_numbers_of_processes_go_on_with_a_run(trial: Trial, show: Show) -> None:
    trial.flags += ["--batch-size", 12, "--checkpoint-every", 2, "--dropout", 0]
    steps = STEPS * 4 // 12
    whole = trial.finish("whole").records()
    place = trial.run.place()
    for processes in (2, 1):
        trial.processes = processes
        with trial.start() as life:
            while (now := trial.run.place()).step < place.step + steps or now.step % steps == 0:
                trial.run.next_checkpoint(life)
            life.kill_all()
        check_start(life, place)
        place = trial.run.place()
    trial.processes = 3
    with trial.start() as life:
        assert life.wait() == 0, life.said
    check_start(life, place)
    records = trial.run.records()
    assert_each_line_once(records, EPOCHS, steps)
    pairs = zip(records, whole, strict=True)
    largest = max(abs(record["loss"] - other["loss"]) for record, other in pairs)
    show(f"2, 1, then 3 processes: the loss differs by {largest:.3f} at most")
    assert largest < TOLERANCE


@pytest.mark.parametrize("parallelism", ["ddp"])
@pytest.mark.parametrize("lost", [0, pytest.param(1, marks=pytest.mark.scheduled)])
def test_a_killed_rank_ends_the_others_soon(trial: Trial, lost: int, show: Show) -> None:
    whole = trial.finish("whole")
    with trial.start() as life:
        wait_for_an_epoch(trial, life, evaluated=True)
        kill(life.ranks()[lost], signal.SIGKILL)
        began = time.monotonic()
        assert life.wait(LOST_WITHIN) == 1
        show(f"rank {lost} killed: torchrun ended after {time.monotonic() - began:.1f} s")
        life.seconds_until_gone(GONE_WITHIN)
        check_one_message(life)
    assert_same_run(trial.finish(), whole)


@pytest.mark.parametrize("parallelism", ["single", "ddp"])
def test_a_killed_worker_ends_the_run_with_one_message(trial: Trial) -> None:
    with trial.start() as life:
        wait_for_an_epoch(trial, life, evaluated=True)
        for worker in workers(life):
            kill(worker, signal.SIGKILL)
        assert life.wait(LOST_WITHIN) == 1
        life.seconds_until_gone(GONE_WITHIN)
        check_one_message(life)
        assert "worker" in life.said


HALF_SET = {
    "RANK=3": "a rank needs WORLD_SIZE, MASTER_ADDR, MASTER_PORT as well",
    "RANK=3 LOCAL_RANK=3 WORLD_SIZE=4": "a rank needs MASTER_ADDR, MASTER_PORT as well",
    "WORLD_SIZE=2": "a rank needs RANK, MASTER_ADDR, MASTER_PORT as well",
    "RANK=2 WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=1": "RANK 2 must be below WORLD_SIZE 2",
}


@pytest.mark.parametrize("parallelism", ["ddp"])
def test_variables_of_a_launcher_that_are_set_by_half_are_named(trial: Trial) -> None:
    trial.processes = 0
    with ExitStack() as stack:
        starts = [stack.enter_context(start_rank(trial, words)) for words in HALF_SET]
        for life, message in zip(starts, HALF_SET.values(), strict=True):
            assert life.wait() == (1 if "below" in message else 2)
            assert [message in line for line in life.said.splitlines()] == [True], life.said


@pytest.mark.parametrize("parallelism", ["ddp"])
def test_a_signal_ends_a_rank_that_waits_for_others(trial: Trial) -> None:
    trial.processes = 0
    with ExitStack() as stack:
        ports = [free_port() for _ in STOP]
        words = [f"RANK=0 WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT={port}" for port in ports]
        starts = [stack.enter_context(start_rank(trial, each)) for each in words]
        for number, life, port in zip(STOP, starts, ports, strict=True):
            life.until(partial(listens, port))
            time.sleep(1)
            life.process.send_signal(number)
            assert life.wait(LOST_WITHIN) == -number, life.said


def start_rank(trial: Trial, variables: str) -> Life:
    """Start a rank as a launcher would, with these variables."""
    return Life(trial.project, ["env", *variables.split(), *trial.line()])


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def listens(port: int) -> bool:
    """Whether a rank waits for others there."""
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) == 0


def workers(life: Life) -> list[int]:
    """The data workers: nothing that they started is among a start's processes."""
    family = life.family()
    parents = {parent_of(pid) for pid in family}
    found = [p for p, line in family.items() if p not in parents and "resource_tracker" not in line]
    assert len(found) >= 2, family
    return found


def check_one_message(life: Life) -> None:
    """One line of ours says what happened; torchrun adds a report of its own."""
    assert life.said.count("error: ") == 1, life.said
    assert not OUR_TRACEBACK.search(life.said), life.said
