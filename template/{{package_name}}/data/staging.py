"""A copy of the data on a disk of this machine, for --stage: made once, by one process.

The other processes of a run wait for it, and so do other runs on the machine. A copy is never
changed or deleted here, as someone may be reading it: changed data gets a copy of its own.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from ..base.errors import DataError, FlagError
from ..base.files import sync_folder
from ..base.locks import locked
from .threads import in_order

RECORD = ".staged"  # a file in each copy: what was copied, and when

# what lies in a folder, by its path within: size in bytes, and time of the last change in ns;
# of a folder nothing but its path, which ends with a slash
Manifest = dict[str, tuple[int, int]]


class Staged(NamedTuple):
    """Where the copy of a data folder is, and a line that says so."""

    place: Path
    line: str


def stage(data_dir: Path, folder: Path) -> Staged:
    """Find a copy of `data_dir` in `folder` that is equal to it, or make one.

    Raises FlagError where it does not fit or cannot be written, DataError where the data cannot be
    read.
    """
    source, folder = data_dir.resolve(), folder.resolve()
    if folder.is_relative_to(source):
        raise FlagError(f"--stage {folder} lies in {source}, which would be copied into itself")
    began = time.time()
    try:
        wanted = manifest_of(source)
    except OSError as error:
        raise DataError(f"--stage: {reason_of(error)}") from error
    name = f"{source.name}-{digest_of(wanted, str(source))[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / f"{name}.lock"):
            place, record = find_or_copy(source, wanted, folder, name)
    except OSError as error:
        raise FlagError(f"--stage {folder}: {reason_of(error)}") from error
    line = f"stage   {in_words(record['files'], record['bytes'])}, copied to {place}"
    line += f" in {record['seconds']:.1f} s"
    return Staged(place, f"{line}, earlier" if record["ended"] < began else line)


def find_or_copy(
    source: Path, wanted: Manifest, folder: Path, name: str
) -> tuple[Path, dict[str, Any]]:
    """The first copy that is as it was made, or a new one behind those that are not."""
    for number in count():
        place = folder / (f"{name}-{number}" if number else name)
        if not place.exists():
            break
        try:
            record = json.loads((place / RECORD).read_text(encoding="utf-8"))
            if record["copy"] == digest_of(manifest_of(place)):
                return place, record
        except (OSError, ValueError, KeyError):
            continue
    return place, copy(source, wanted, place, folder / f"{name}.partial")


def copy(source: Path, wanted: Manifest, place: Path, unfinished: Path) -> dict[str, Any]:
    """Copy everything to `unfinished`, then give that its name; returns the record of it."""
    files = [name for name in wanted if not name.endswith("/")]  # the rest are folders
    size = sum(wanted[name][0] for name in files)
    free = shutil.disk_usage(place.parent).free
    if size > free:
        raise FlagError(
            f"--stage {place.parent} has {free / 1e6:,.1f} MB free, but {source} takes "
            f"{size / 1e6:,.1f} MB: delete copies there that nobody reads, or take another folder"
        )
    print(f"copying {in_words(len(files), size)}, to {place}", file=sys.stderr, flush=True)
    if unfinished.exists():  # of a process that was ended: nobody else is within the lock
        shutil.rmtree(unfinished)
    began = time.monotonic()
    try:
        for name in ("", *(name for name in wanted if name.endswith("/"))):
            (unfinished / name).mkdir()
        one = partial(copy_file, source=source, target=unfinished, wanted=wanted)
        for _ in in_order(one, files):
            pass
        record = {"source": str(source), "files": len(files), "bytes": size}
        record |= {"seconds": time.monotonic() - began, "ended": time.time()}
        record["copy"] = digest_of(manifest_of(unfinished))
        (unfinished / RECORD).write_text(json.dumps(record), encoding="utf-8")
        if hasattr(os, "sync"):  # not on Windows
            os.sync()  # once: an fsync for each of a million files would take hours
        os.replace(unfinished, place)
        sync_folder(place.parent)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return record


def copy_file(name: str, source: Path, target: Path, wanted: Manifest) -> None:
    """Copy one file; raises DataError where it is no longer what the manifest says."""
    shutil.copyfile(source / name, target / name)
    if entry_of(str(source / name)) != wanted[name]:
        raise DataError(f"{source / name} has changed while --stage copied it: start again")


def manifest_of(folder: Path) -> Manifest:
    """What lies in a folder, in any depth; hidden files and folders right in it are left out.

    These are of programs, as of `prepare` that fills the folder; below it they are data.
    """
    found: Manifest = {}
    for place, subfolders, files in os.walk(folder, onerror=reraise, followlinks=True):
        inner = os.path.relpath(place, folder)
        if inner == os.curdir:
            inner = ""
            for names in (subfolders, files):
                names[:] = [name for name in names if name[0] != "."]
        for name in subfolders:
            found[f"{os.path.join(inner, name)}/"] = 0, 0
        for name in files:
            found[os.path.join(inner, name)] = entry_of(os.path.join(place, name))
    return found


def entry_of(path: str) -> tuple[int, int]:
    """Size and time of a file."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def digest_of(manifest: Manifest, where: str = "") -> str:
    """A number that another manifest, or the same of another place, does not have."""
    digest = hashlib.sha256(os.fsencode(where))
    for name in sorted(manifest):
        digest.update(os.fsencode(name) + repr(manifest[name]).encode())
    return digest.hexdigest()


def in_words(files: int, size: int) -> str:
    """How much that is."""
    return f"{files:,} {'file' if files == 1 else 'files'}, {size / 1e6:,.1f} MB"


def reason_of(error: OSError) -> str:
    """What went wrong, and with which file."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def reraise(error: OSError) -> None:
    """Let no folder that cannot be read be passed over."""
    raise error
