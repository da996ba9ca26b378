"""Where the samples of tar files lie, in WebDataset's layout: KEY.jpg beside KEY.cls or KEY.json.

The headers are read once. What they say is kept in a hidden file beside the tar files.
"""

import io
import json
import sys
import tarfile
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.errors import PACKAGE, DataError
from ..base.files import write_atomic
from ..base.locks import locked
from .images import EXTENSIONS
from .threads import in_order

COMPRESSED = (".tgz", ".tbz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst")
BLOCK = 512  # bytes: a block of zeros ends a tar file


class Entry(NamedTuple):
    """A sample in a tar file."""

    offset: int  # where its image begins, in bytes
    size: int  # of its image, in bytes
    label: str  # a whole number, or the name of a class
    key: bytes


class Index(NamedTuple):
    """The N samples of a split: file by file, and in each by their places."""

    shard: np.ndarray  # (N,) int64: the number of the file
    offset: np.ndarray  # (N,) int64
    size: np.ndarray  # (N,) int64
    label: np.ndarray  # (N,) int64: which of the names
    key: np.ndarray  # (N,) bytes
    names: np.ndarray  # (K,) str: the labels that there are


def shards_at(pattern: Path) -> list[Path]:
    """The files of DIR/train-*.tar in their order; raises DataError where there is none."""
    paths = sorted(pattern.parent.glob(pattern.name))
    packed = [p for p in pattern.parent.glob(pattern.stem) if p.suffix in COMPRESSED]
    if packed:
        raise DataError(
            f"{min(packed)} is compressed, so no image in it can be read alone: unpack it to .tar"
        )
    if not paths:
        raise DataError(
            f"{pattern} not found: `python -m {PACKAGE}.tools.pack --source DIR --data-dir "
            f"{pattern.parent}` writes such files; without --shards prepared data is read"
        )
    return paths


def index_of(pattern: Path, paths: list[Path]) -> Index:
    """The samples of these files, which are looked through only where one of them has changed.

    Raises DataError where one is not as it should be.
    """
    kept = pattern.with_name(f".{pattern.stem.removesuffix('-*')}-index.npz")
    try:
        status = [(path.name, path.stat()) for path in paths]
    except OSError as error:
        raise DataError(f"{error.filename}: {error.strerror}") from error
    state = json.dumps([(name, of.st_size, of.st_mtime_ns) for name, of in status])
    with ExitStack() as stack:
        with suppress(OSError):  # in a folder that cannot be written each process looks for itself
            stack.enter_context(locked(kept.with_suffix(".lock")))
        index = read_index(kept, state)
        if index is None:
            print(f"indexing {pattern}", file=sys.stderr)
            index = collect(in_order(scan, map(str, paths)))
            memory = io.BytesIO()
            np.savez(memory, state=np.array(state), **index._asdict())
            with suppress(OSError):
                write_atomic(kept, memory.getbuffer())
    return index


def read_index(path: Path, state: str) -> Index | None:
    """The index that was kept; None where there is none of just these files."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if str(arrays["state"]) == state:
                return Index(*(arrays[name] for name in Index._fields))
    except Exception:  # a damaged file makes numpy raise nearly anything: it is written anew
        pass
    return None


def collect(files: Iterable[list[Entry]]) -> Index:
    """Put together what the files have."""
    names: dict[str, int] = {}
    rows, keys = list[tuple[int, ...]](), list[bytes]()
    for shard, entries in enumerate(files):
        for entry in entries:
            label = names.setdefault(entry.label, len(names))
            rows.append((shard, entry.offset, entry.size, label))
            keys.append(entry.key)
    shards, offsets, sizes, labels = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    return Index(shards, offsets, sizes, labels, np.array(keys, "S"), np.array(list(names), "U"))


def scan(path: str) -> list[Entry]:
    """The samples of a tar file, by the headers and the labels; raises DataError naming it."""
    images: dict[str, tuple[int, int]] = {}
    labels: dict[str, str | None] = {}
    try:
        with tarfile.open(path, "r:") as tar, open(path, "rb") as file:
            for member in tar:
                key, kind = split_name(member.name)
                if kind in EXTENSIONS and member.isreg():
                    if key in images:
                        raise DataError(f"{path}: {key} has two images")
                    images[key] = member.offset_data, member.size
                elif kind in (".cls", ".json") and (kind == ".cls" or key not in labels):
                    file.seek(member.offset_data)
                    labels[key] = label_in(kind, file.read(member.size))
            file.seek(tar.offset)
            if file.read(BLOCK) != bytes(BLOCK):
                raise tarfile.ReadError(f"no end after {tar.offset:,} bytes")
    except (tarfile.TarError, EOFError) as error:
        raise DataError(f"{path} is cut short, damaged or no plain tar file: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    entries = []
    for key in images | labels:
        label = labels.get(key)
        if label is None or key not in images:
            lacks = 'label in a .cls file, or under "label" in .json' if key in images else "image"
            raise DataError(f"{path}: {key} has no {lacks}")
        entries.append(Entry(*images[key], label, key.encode("utf-8", "surrogateescape")))
    return sorted(entries)


def split_name(name: str) -> tuple[str, str]:
    """Key and extension of a member, as WebDataset has them: apart at the name's first dot."""
    folder, slash, file = name.removeprefix("./").rpartition("/")
    stem, dot, kind = file.partition(".")
    return f"{folder}{slash}{stem}", f"{dot}{kind}".lower()


def label_in(kind: str, content: bytes) -> str | None:
    """What a .cls file says, or a .json file under "label"; None where that is no label."""
    said: object = content.decode("utf-8", "replace")
    if kind == ".json":
        try:
            said = json.loads(content)["label"]
        except (ValueError, KeyError, TypeError):
            return None
    if isinstance(said, bool) or not isinstance(said, int | str):
        return None
    text = str(said).strip()
    return (str(int(text)) if text.isdecimal() else text) or None
