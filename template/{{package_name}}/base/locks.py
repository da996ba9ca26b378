"""What only one process of a machine may do at a time."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other process is within a lock on this file, which is made where it is missing.

    The kernel keeps the lock, so it ends with the process that holds it. Raises OSError where the
    file cannot be written, or its file system has no locks.
    """
    with path.open("ab") as file:
        if sys.platform == "win32":
            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
                except OSError:  # after ten seconds
                    continue
        else:
            fcntl.lockf(file, fcntl.LOCK_EX)
        yield
