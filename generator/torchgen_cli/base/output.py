"""Printing to a standard output that may fail: a full disk, a closed pipe."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import UserError


@contextmanager
def printing() -> Iterator[None]:
    """Raise `UserError` if the block fails to print; a closed pipe is no failure."""
    try:
        yield
    except OSError as error:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, sys.stdout.fileno())  # what is left in the buffer would fail once more
        os.close(silence)
        if isinstance(error, BrokenPipeError):
            return
        raise UserError(
            f"cannot print the result ({error.strerror}), so nothing was written; try again with "
            "another output"
        ) from error
