"""Checkpoints: atomic, with a checksum, loadable by `torch.load(weights_only=True)`.

`torch.save` writes a zip archive, whose comment holds the SHA-256 of the rest: torch itself does
not notice a flipped bit.
"""

import hashlib
import io
import os
import re
import shutil
from pathlib import Path
from typing import Any

import torch

from ..base import distributed
from ..base.errors import CheckpointError
from ..base.files import atomic

MARK = b"sha256:"
COMMENT = len(MARK) + 64
WRAPPERS = r"^(module\.|_orig_mod\.)+"  # what DDP and torch.compile put before each name
NESTED = ("ema", "state_dict", "model_state_dict", "model")  # where weights are kept
KEYS = ("model", "task", "ema", "ema_task", "config", "dataset")  # what every command needs
State = dict[str, Any]


def save(folder: Path, state: State, *, best: bool) -> None:
    """Write last.pt, keep the one before as previous.pt; with `best`, write best.pt as well.

    Every rank must call it.
    """
    last, new = folder / "last.pt", folder / "next.pt"
    with distributed.save_parts(folder, state) as whole:
        if distributed.RANK:
            return
        try:
            with atomic(new) as file:
                torch.save(whole, file)
                file.seek(-2, os.SEEK_END)  # the last field of a zip archive: its comment's length
                file.write(COMMENT.to_bytes(2, "little"))
                file.seek(0)
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                file.write(MARK + digest.encode())
            if best:  # first: a crash before last.pt is written comes here again after the resume
                link(new, folder / "best.pt")
            if last.exists():
                link(last, folder / "previous.pt")
            os.replace(new, last)
        except (OSError, RuntimeError) as error:  # torch makes one of the other
            reason = error.__context__ or error
            raise CheckpointError(
                f"{new} could not be written ({reason}); the checkpoints before it are intact"
            ) from error


def link(source: Path, target: Path) -> None:
    """Give a file a second name, in place of what had it."""
    spare = target.with_name(target.name + ".partial")
    spare.unlink(missing_ok=True)
    try:
        os.link(source, spare)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, spare)
    os.replace(spare, target)


def load(path: Path) -> State:
    """Read a checkpoint onto the CPU; raises CheckpointError if it is missing or corrupt."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error
    archive, comment = memoryview(content)[:-COMMENT], content[-COMMENT:]
    if comment != MARK + hashlib.sha256(archive).hexdigest().encode():
        reason = "its checksum does not match" if MARK in comment else "it has no checksum"
        raise CheckpointError(f"{path} is corrupt or not a checkpoint of train: {reason}")
    try:
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        return state | {name: state[name] for name in KEYS}
    except Exception as error:
        found = f"no {error}" if isinstance(error, KeyError) else "more than plain data"
        raise CheckpointError(f"{path} is not a checkpoint of train: it has {found}") from error


def load_latest(folder: Path) -> tuple[State | None, list[str]]:
    """Read last.pt, or previous.pt if that is corrupt: (state, warnings). None: a new run."""
    warnings: list[str] = []
    for path in (folder / "last.pt", folder / "previous.pt"):
        if path.exists():
            try:
                state = load(path)
                distributed.check_parts(path, state)
                return state, warnings
            except CheckpointError as error:
                warnings.append(str(error))
    if warnings:
        raise CheckpointError("; ".join(warnings))
    return None, []


def load_weights(model: torch.nn.Module, weights: State) -> None:
    """Load weights that must match by name and shape; raises CheckpointError naming the first."""
    own = model.state_dict()
    wrong = [n for n, t in own.items() if getattr(weights.get(n), "shape", None) != t.shape]
    wrong += [name for name in weights if name not in own]
    if wrong:
        raise CheckpointError(
            f"the checkpoint belongs to another model: {len(wrong)} tensors are missing, unknown "
            f"or of another shape, the first is {wrong[0]}; environment.json names the run's commit"
        )
    model.load_state_dict({n: distributed.place_like(weights[n], own[n]) for n in own})


def load_optimizer(optimizer: torch.optim.Optimizer, state: State) -> None:
    """Load an optimizer's state, which torch matches by position: check the names first."""
    groups = optimizer.state_dict()["param_groups"]
    saved = [group["param_names"] for group in state["param_groups"]]
    if saved != [group["param_names"] for group in groups]:
        raise CheckpointError(
            "the run belongs to another model or optimizer: its groups or their order differ"
        )
    distributed.read_parts(optimizer, state)
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    for number, fields in state["state"].items():
        for name, value in fields.items():
            if getattr(value, "shape", None) == parameters[number].shape:
                fields[name] = distributed.place_like(value, parameters[number])
    optimizer.load_state_dict(state)


def load_initial(model: torch.nn.Module, path: Path) -> str:
    """Load from a file what fits by name and shape; returns a line that says what did not.

    Raises CheckpointError if the file cannot be read, or none of its tensors fits.
    """
    given, own = read_weights(path), model.state_dict()
    # names as they are, or without what a container such as nn.Sequential puts before them
    names = {name: name if name in given else name.partition(".")[2] for name in own}
    fits = {n: given[m] for n, m in names.items() if m in given and given[m].shape == own[n].shape}
    used = {names[name] for name in fits}
    new = ", ".join([name for name in own if name not in fits][:3])
    unused = ", ".join([name for name in given if name not in used][:3])
    if not fits:
        raise CheckpointError(f"--init-from {path} has {unused or 'no tensors'}, not {new}")
    load_weights(model, own | fits)
    line = f"{len(fits)} of {len(own)} tensors from {path}"
    return line + (f"; new: {new}" if new else "") + (f"; not used: {unused}" if unused else "")


def read_weights(path: Path) -> State:
    """The tensors by name: of a run, a checkpoint, a state_dict or a .safetensors file."""
    path = path / "checkpoints" / "best.pt" if path.is_dir() else path
    found: Any
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            found = load_file(path)
        else:
            found = torch.load(path, map_location="cpu", weights_only=True)
        for name in NESTED:
            found = found.get(name) or found
        named = {re.sub(WRAPPERS, "", str(name)): tensor for name, tensor in found.items()}
    except Exception as error:  # torch raises many kinds for what it does not accept
        reason = str(error).partition("\n")[0]
        raise CheckpointError(f"--init-from {path} has no tensors by name: {reason}") from error
    return {name: tensor for name, tensor in named.items() if isinstance(tensor, torch.Tensor)}
