"""Errors that the user can fix, and interruptions."""

import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}


class UserError(Exception):
    """An error in one line, which says what is wrong and what to do, and its exit code.

    Exit codes: 2 for a bad flag or value on the command line, 1 for everything else.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(" ".join(line.strip() for line in message.splitlines()))
        self.exit_code = exit_code


def disk_full(output: str, written: Path | None = None) -> OSError | None:
    """The error of a full disk or quota, if the output of git or a library mentions one.

    git does not always print why it failed, so the disk of the folder `written` is checked as well.
    """
    own = "\n".join(line for line in output.splitlines() if not line.startswith("remote:"))
    for number in FULL:
        if os.strerror(number) in own:
            return OSError(number, os.strerror(number))
    nothing_left = written and shutil.disk_usage(written).free < 2**16
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) if nothing_left else None


class Interrupted(BaseException):
    """A signal asked us to stop. Not an `Exception`, so that no handler swallows it."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.exit_code = 128 + signal_number


def nearest(word: str, possible: Iterable[str]) -> str:
    """`"; did you mean 'bf16'?"` for the most similar word, or an empty string."""
    import difflib  # 3 ms, for refusals only

    found = difflib.get_close_matches(word.lower(), list(possible), n=1, cutoff=0.5)
    return f"; did you mean '{found[0]}'?" if found else ""
