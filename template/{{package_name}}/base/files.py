"""Files that are there whole or not at all."""

import os
from pathlib import Path


def write_atomic(path: Path, content: bytes | memoryview) -> None:
    """Write a file so that at every moment the old one or the new one is there, whole.

    Raises OSError, as when the disk is full; then the old file is untouched.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        sync_folder(path.parent)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError):  # a full disk would not name the file
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def sync_file(path: Path) -> None:
    """Make a file's content last through a power cut."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make renames within a folder last through a power cut; Windows has no such call."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
