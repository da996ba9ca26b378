"""Printing to a standard output that may fail: a full disk, a closed pipe."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from .errors import UserError

EXTRA = '".[dev]"' if os.name == "nt" else "'.[dev]'"  # quoted for the shell

BOLD_RED, PLAIN = "\x1b[1;31m", "\x1b[0m"


def red(word: str, stream: TextIO) -> str:
    """A word in bold red, on a terminal that shows colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or not stream.isatty():
        return word
    return f"{BOLD_RED}{word}{PLAIN}"


def silence() -> int:
    """Drop what is left in the buffer of an output that takes no more; returns exit code 0."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
    return 0


def answer_in_words(answer: Any) -> str:
    """An answer as a person writes it: a list is serve,sweep, an empty one none."""
    if isinstance(answer, list):
        return ",".join(map(str, answer)) or "none"
    return str(answer)


@contextmanager
def printing() -> Iterator[None]:
    """Raise `UserError` if the block fails to print; a closed pipe is no failure."""
    try:
        yield
    except OSError as error:
        silence()
        if isinstance(error, BrokenPipeError):
            return
        raise UserError(
            f"cannot print the result ({error.strerror}), so nothing was written; try again with "
            "another output"
        ) from error
