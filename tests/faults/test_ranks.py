"""Ranks and workers that are lost, and other numbers of ranks than before."""

import signal
import time

import pytest

from .conftest import Show
from .processes import GONE_WITHIN, OUR_TRACEBACK, Life, kill, parent_of
from .runs import assert_each_line_once, assert_same_run
from .trials import EPOCHS, STEPS, Trial, check_start, wait_for_an_epoch

pytestmark = pytest.mark.faults

# of a mean loss: batch norm takes its statistics over a rank's own share of a batch
TOLERANCE = 0.1
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
