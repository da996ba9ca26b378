"""A run that is asked to stop does so in good order, and goes on to the same bits."""

import os
import re
import signal
import time
from itertools import product
from statistics import median

import pytest

from .processes import GONE_WITHIN, Life, kill
from .runs import Place, assert_each_line_once, assert_same_run
from .trials import (
    BATCH,
    CLASSES,
    EPOCHS,
    PER_CLASS,
    STEPS,
    Trial,
    check_start,
    wait_for_an_epoch,
)

pytestmark = pytest.mark.faults

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
SCHEDULED = [pytest.mark.scheduled]
PARALLELISM = (pytest.param("single", marks=SCHEDULED), "ddp")
# who gets the signal: a process alone is all there is of it
TARGETS = [
    *(("single", "the process"), ("ddp", "all processes")),
    pytest.param("single", "all processes", marks=SCHEDULED),
    pytest.param("ddp", "the process", marks=SCHEDULED),
]


@pytest.mark.parametrize(("parallelism", "target"), TARGETS)
def test_a_signal_stops_in_good_order_and_costs_no_step(
    trial: Trial, parallelism: str, target: str
) -> None:
    whole = trial.finish("whole")
    pace = BATCH / median(r["samples_per_second"] for r in whole.records()[::2])
    began = Place(0, 0)
    for number, in_training in stops_for(parallelism, target):
        with trial.watched() as life:
            place = wait_for_an_epoch(trial, life, evaluated=in_training)
            time.sleep(3 * pace if in_training else 0)
            send(life, target, number)
            code = life.wait()
            life.seconds_until_gone(GONE_WITHIN)
            check_stop(trial, life, code, number)
        stopped = trial.run.place()
        if in_training:
            assert place.step < stopped.step < place.step + STEPS, "no checkpoint of its own"
        else:
            assert stopped == place and trial.run.epochs_logged() == place.epoch
        check_start(life, began)
        began = stopped
    run = trial.finish()
    assert_same_run(run, whole)
    assert_each_line_once(run.records(), EPOCHS, STEPS)


def stops_for(parallelism: str, target: str) -> list[tuple[signal.Signals, bool]]:
    """Each signal, in training and in evaluation; by torchrun, where a start takes longer, half."""
    stops = list(product(SIGNALS, (True, False)))
    if parallelism == "single":
        return stops
    first = target == "the process"
    return [stop for number, stop in enumerate(stops) if (number in (0, 3, 4)) == first]


def send(life: Life, target: str, number: signal.Signals) -> None:
    """Send a signal to the first process, or to each one: the ranks, the workers."""
    if target == "the process":
        kill(life.process.pid, number)
    elif number == signal.SIGINT:  # twice would end a rank at once: torchrun passes it on
        os.killpg(life.process.pid, number)
    else:
        for pid in life.family():
            kill(pid, number)


def check_stop(trial: Trial, life: Life, code: int, number: signal.Signals) -> None:
    """The exit codes, and one message that names the checkpoint's step."""
    if trial.processes:
        assert code == 1 and trial.exit_codes() == [128 + number] * 2, life.said
    else:
        assert code == 128 + number and "Traceback" not in life.said, life.said
    assert "error: " not in life.said, life.said
    message = rf"stopped by {number.name} after step (\d+), saved"
    assert re.findall(message, life.said) == [str(trial.run.place().step)], life.said


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_a_second_interrupt_ends_at_once(trial: Trial, parallelism: str) -> None:
    # one step takes seconds, in passes that do not
    passes = PER_CLASS["train"] * len(CLASSES) // max(trial.processes, 1)
    slow = ("--batch-size", passes * max(trial.processes, 1), "--accumulate", passes)
    with trial.start(*slow, "--width", 128, "--num-workers", 0) as life:
        life.until(lambda: trial.run.stamp("config.json") > 0)
        time.sleep(1)
        kill(life.process.pid, signal.SIGINT)
        time.sleep(0.5)
        assert life.process.poll() is None, "a first one waits for the step"
        kill(life.process.pid, signal.SIGINT)
        assert life.wait(GONE_WITHIN) == (1 if trial.processes else 130)
        life.seconds_until_gone(GONE_WITHIN)
    assert not trial.run.stamp() and "stopped by" not in life.said


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_a_killed_launcher_takes_all_with_it_and_a_resume_may_follow_at_once(
    trial: Trial, parallelism: str
) -> None:
    whole = trial.finish("whole")
    with trial.start() as life:
        wait_for_an_epoch(trial, life, evaluated=True)
        assert len(life.family()) >= 1 + trial.processes + 2, "no workers are there"
        life.process.kill()
        with trial.start() as following:  # the ranks of the first may still be there
            life.seconds_until_gone(GONE_WITHIN)
            assert following.wait() == 0, following.said
    assert_same_run(trial.run, whole)


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_a_second_run_in_a_folder_is_refused_while_the_first_one_lives(
    trial: Trial, parallelism: str
) -> None:
    refused = 1 if trial.processes else 2  # torchrun's own
    long = ("--epochs", 1000)
    with trial.start(*long) as first:
        wait_for_an_epoch(trial, first, evaluated=False)
        for flag, message in (("--resume", "in use by another"), ("--no-resume", "holds a run")):
            with trial.start(*long, flag) as second:
                assert second.wait() == refused, second.said
                assert second.said.count("error: ") == 1 and message in second.said
        assert first.process.poll() is None, "the first one was disturbed"
        first.kill_all()
        with trial.start(*long) as third:  # the lock went with the process
            trial.run.next_checkpoint(third)
            assert "; the last process was killed or failed\n" in third.said
