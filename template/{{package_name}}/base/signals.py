"""Signals: finish the step, save, exit."""

import os
import signal
from types import FrameType

from . import distributed

STOP = [getattr(signal, n) for n in ("SIGTERM", "SIGINT", "SIGUSR1") if hasattr(signal, n)]


class StopSignal:
    """Records the first signal that asks the run to stop; the training loop polls it."""

    def __init__(self) -> None:
        self.number = 0
        for number in STOP:
            signal.signal(number, self._handle)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.number == signal.SIGINT and number != getattr(signal, "SIGUSR1", 0):
            os._exit(128 + self.number)  # Ctrl-C twice, of which torchrun makes SIGTERM
        if number == signal.SIGINT and not self.number and distributed.RANK == 0:
            # print may be at work just now
            os.write(2, b"\nstopping after this step; Ctrl-C again quits at once\n")
        self.number = self.number or number
