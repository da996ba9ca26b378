"""Signals are remembered by a run."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from toy.base.signals import STOP, StopSignal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Puts the handlers back."""
    before = {number: signal.getsignal(number) for number in STOP}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", STOP)
def test_a_signal_to_stop_is_remembered(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    stop = StopSignal()
    assert stop.number == 0
    os.kill(os.getpid(), number)
    assert stop.number == number
    told = "\nstopping after this step; Ctrl-C again quits at once\n"
    assert capfd.readouterr().err == (told if number == signal.SIGINT else "")


def test_sigterm_sigint_and_sigusr1_stop_a_run() -> None:
    assert {number.name for number in STOP} == {"SIGTERM", "SIGINT", "SIGUSR1"}


def test_the_first_signal_counts_and_a_second_ctrl_c_ends_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    stop = StopSignal()
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    assert (stop.number, codes) == (signal.SIGTERM, [])
    stop = StopSignal()
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGUSR1)
    assert codes == []
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)  # what torchrun makes of the second one
    assert (stop.number, codes) == (signal.SIGINT, [130, 130])
