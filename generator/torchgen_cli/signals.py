"""Ctrl-C, SIGTERM and a closed terminal end a command in order: clean up, one line, 128 + n."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

from .errors import Interrupted

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one not on Windows
_received: list[int] = []


def install() -> None:
    """From here on a signal that asks to stop raises `Interrupted`; later ones are ignored."""
    _handle(_stop)


def ignore() -> None:
    """From here on such a signal comes too late: what is left takes milliseconds."""
    _handle(signal.SIG_IGN)


def check() -> None:
    """Raise `Interrupted` if a signal came; compiled code on the way may have swallowed ours."""
    if _received:
        raise Interrupted(_received[0])


def _stop(number: int, _frame: FrameType | None) -> None:
    ignore()
    _received.append(number)
    raise Interrupted(number)


def _handle(handler: Callable[[int, FrameType | None], Any] | signal.Handlers) -> None:
    for name in NAMES:
        number = getattr(signal, name, None)
        # What our parent told us to ignore (nohup, a background job) stays ignored.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)
