"""Ctrl-C, SIGTERM and a closed terminal stop a command cleanly: one line, exit code 128 + n."""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from .errors import Interrupted

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one not on Windows
_received: list[int] = []


def install() -> None:
    """Make the first stop signal raise `Interrupted`; later ones are ignored."""
    _handle(_stop)
    sys.unraisablehook = _swallowed


def ignore() -> None:
    """Ignore stop signals from now on: what is left takes milliseconds."""
    _handle(signal.SIG_IGN)


def check() -> None:
    """Raise `Interrupted` if a signal came; compiled code or a `__del__` may have swallowed it."""
    if _received:
        raise Interrupted(_received[0])


def _stop(number: int, _frame: FrameType | None) -> None:
    ignore()
    _received.append(number)
    raise Interrupted(number)


def _swallowed(unraisable: "sys.UnraisableHookArgs") -> None:
    if unraisable.exc_type is not Interrupted:  # `check` raises that one again
        sys.__unraisablehook__(unraisable)


def _handle(handler: Callable[[int, FrameType | None], Any] | signal.Handlers) -> None:
    for name in NAMES:
        number = getattr(signal, name, None)
        # A signal that our parent ignores (nohup, a background job) stays ignored.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)
