"""Checkpoints: written whole or not at all, checked when read, plain enough for `weights_only`.

A file is what `torch.save` writes, and it carries the SHA-256 of all its other bytes as the comment
of the zip archive that it is. `torch.load(path, weights_only=True)` opens it as it stands.
"""

import hashlib
import io
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import torch

from .config import parse_interval
from .errors import CheckpointError
from .files import write_atomic

MARK = b"sha256:"
COMMENT = len(MARK) + 64  # bytes: the mark and the digest in hexadecimal

State = dict[str, Any]


def dump(state: State, memory: io.BytesIO | None = None) -> io.BytesIO:
    """Serialize plain containers, tensors and numbers: a copy, which later steps do not change.

    `memory` is overwritten and returned: to use it again takes half the time of getting it anew.
    """
    buffer = io.BytesIO() if memory is None else memory
    buffer.seek(0)
    torch.save(state, buffer)
    buffer.truncate()
    return buffer


def seal(buffer: io.BytesIO) -> memoryview:
    """What `dump` gave, with the checksum at the end."""
    with buffer.getbuffer() as archive:
        archive[-2:] = COMMENT.to_bytes(2, "little")  # its last field: the length of its comment
        digest = hashlib.sha256(archive).hexdigest()
    buffer.seek(0, io.SEEK_END)
    buffer.write(MARK + digest.encode())
    return buffer.getbuffer()


def write(path: Path, content: memoryview) -> None:
    """Write a file atomically; raises CheckpointError where that fails."""
    try:
        write_atomic(path, content)
    except OSError as error:
        raise CheckpointError(
            f"{path} could not be written ({error.strerror}); the checkpoints before it are intact"
        ) from error


def save(folder: Path, dumped: io.BytesIO, *, best: bool = False) -> None:
    """Write `last.pt`, keeping the one before as `previous.pt`; with `best`, also `best.pt`."""
    last, previous = folder / "last.pt", folder / "previous.pt"
    with seal(dumped) as content:
        if best:  # first: if the run ends in between, the resumed one comes here again
            write(folder / "best.pt", content)
        if last.exists():
            spare = folder / "previous.pt.partial"
            spare.unlink(missing_ok=True)
            try:
                os.link(last, spare)
            except OSError:  # a file system without hard links
                shutil.copyfile(last, spare)
            os.replace(spare, previous)
        write(last, content)


class Saver:
    """Saves beside the training, which waits for a copy of its state, but not for the disk.

    Leaving its context waits for the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._memory = io.BytesIO()
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()

    def save(self, state: State, *, best: bool = False) -> None:
        """Begin to save; raises what `finish` does for the save before."""
        self.finish()
        dumped = dump(state, self._memory)
        self._writing = self._thread.submit(save, self.folder, dumped, best=best)

    def finish(self) -> None:
        """Wait for the disk; raises CheckpointError where it did not take what was saved."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()


class Schedule:
    """When to save within an epoch: every so many steps, or after so much time."""

    def __init__(self, every: str) -> None:
        """Take a number of steps ("500") or a time ("10m")."""
        self.steps, self.seconds = parse_interval(every)
        self.start()

    def start(self) -> None:
        """Begin a new interval, as after a save."""
        self.began = time.monotonic()

    def due_by_step(self, step: int) -> bool:
        """Whether a checkpoint is due after `step` optimizer steps."""
        return self.steps is not None and step % self.steps == 0

    def due_by_time(self) -> bool:
        """Whether a checkpoint is due now."""
        return self.seconds is not None and time.monotonic() - self.began >= self.seconds


def load(path: Path) -> State:
    """Read a checkpoint onto the CPU.

    Raises CheckpointError when it is missing, when a byte differs from what was written, and when
    it is more than plain data: a pickle that would run code is refused.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error
    archive, comment = content[:-COMMENT], content[-COMMENT:]
    if comment != MARK + hashlib.sha256(archive).hexdigest().encode():
        raise CheckpointError(f"{path} is damaged: its checksum does not fit its content")
    try:
        return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for what it does not accept
        raise CheckpointError(f"{path} holds more than plain data and was not opened") from error


def load_latest(folder: Path) -> tuple[State | None, list[str]]:
    """Read `last.pt`, or `previous.pt` where that is damaged.

    Returns (state, warnings); state is None where no checkpoint was ever written.
    """
    warnings: list[str] = []
    for path in (folder / "last.pt", folder / "previous.pt"):
        if path.exists():
            try:
                return load(path), warnings
            except CheckpointError as error:
                warnings.append(str(error))
    if warnings:
        raise CheckpointError("; ".join(warnings))
    return None, []


@contextmanager
def reading(source: Path) -> Iterator[None]:
    """Make a CheckpointError of what a checkpoint lacks, or holds in another form than expected."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise CheckpointError(
            f"{source} was not written by this project's train: {what}"
        ) from error


def restore_model(model: torch.nn.Module, weights: State, source: Path) -> None:
    """Load weights that must fit by name and shape; says which do not."""
    own = model.state_dict()
    shapes = {name: getattr(value, "shape", None) for name, value in weights.items()}
    wrong = [name for name in own if shapes.get(name) != own[name].shape]
    wrong += [name for name in weights if name not in own]
    if wrong:
        raise CheckpointError(
            f"{source} belongs to another model: {len(wrong)} of its tensors are missing, unknown "
            f"or of another shape, the first is {wrong[0]}"
        )
    model.load_state_dict(weights)


def restore_optimizer(optimizer: torch.optim.Optimizer, state: State, source: Path) -> None:
    """Load an optimizer's state, which torch matches by position: the names must agree."""

    def names(groups: list[dict[str, Any]]) -> list[list[str]]:
        return [group["param_names"] for group in groups]

    if names(state["param_groups"]) != names(optimizer.state_dict()["param_groups"]):
        raise CheckpointError(
            f"{source} belongs to another model or grouping: the optimizer's parameters have "
            "other names or another order"
        )
    optimizer.load_state_dict(state)
