"""Atomic writes, and locks between processes."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextmanager
def atomic(path: Path) -> Iterator[BufferedRandom]:
    """Replace a file so that a crash at any moment leaves the old one or the new one, complete."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        if os.name == "posix":  # make the rename durable; Windows has no such call
            folder = os.open(path.parent, os.O_RDONLY)
            with suppress(OSError):  # nor have some network file systems
                os.fsync(folder)
            os.close(folder)
    except OSError as error:  # that of a full disk does not name the file
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        partial.unlink(missing_ok=True)


def write_atomic(path: Path, content: bytes | memoryview) -> None:
    """Replace a file by this content."""
    with atomic(path) as file:
        file.write(content)


def lock(path: Path) -> IO[bytes]:
    """Lock a file until it is closed or the process ends; forked workers do not inherit the lock.

    Raises BlockingIOError if another process has it, another OSError if there can be no lock.
    """
    file = path.open("ab")
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except PermissionError as error:  # what POSIX allows, and Windows has, in its place
        raise BlockingIOError(error.errno, error.strerror, str(path)) from error
    return file
