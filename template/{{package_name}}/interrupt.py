"""Signals: the step in progress is finished and saved, and no process is left behind."""

import ctypes
import multiprocessing
import os
import signal
import sys
from types import FrameType

STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGUSR1") if hasattr(signal, name)
]


class Interrupt:
    """Remembers the first signal that asks the run to stop, for the loop to look at."""

    def __init__(self) -> None:
        self.signal = 0  # its number; 0 while none has come
        for number in STOP_SIGNALS:
            signal.signal(number, self._remember)

    def _remember(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGINT and self.signal == signal.SIGINT:
            os._exit(128 + number)  # asked twice: end at once
        self.signal = self.signal or number


def shield_worker() -> None:
    """Leave the signals that stop a run to its main process, which still needs this worker.

    SIGUSR2 ends the worker instead: see `end_workers`.
    """
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if os.name == "posix":
        signal.signal(signal.SIGUSR2, lambda *_: os._exit(0))


def end_workers() -> None:
    """End this process's data workers, for its exit.

    By itself multiprocessing would send them SIGTERM, which they ignore, and wait for ever.
    """
    for child in multiprocessing.active_children():
        if child.daemon and child.pid is not None:
            os.kill(child.pid, signal.SIGUSR2 if os.name == "posix" else signal.SIGTERM)


def die_with_parent() -> None:
    """End this process when its parent is killed (Linux; elsewhere the parent's pipes do it)."""
    if sys.platform == "linux":
        parent_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
        ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)
