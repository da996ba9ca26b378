"""The part of a checkpoint that no process has as a whole: the optimizer's state of each parameter.

Every rank writes its own with torch.distributed.checkpoint into `sharded/NAME`, beside the
checkpoint's file, so that any number of ranks can read it. NAME is a hash of the content, and the
file holds it.
"""

import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import checkpoint as dcp
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.tensor import DTensor

from .errors import CheckpointError
from .files import write_atomic

METADATA = ".metadata"
SUMS = "sha256.json"

# the classes in torch's list of the parts, which is a pickle: any other could run code
PLAIN = {
    "torch": {"Size"},
    "torch.serialization": {"_get_layout"},
    "torch.distributed.checkpoint.filesystem": {"_StorageInfo"},
    "torch.distributed.checkpoint.metadata": {
        *("Metadata", "MetadataIndex", "StorageMeta", "TensorStorageMetadata"),
        *("ChunkStorageMetadata", "TensorProperties", "_MEM_FORMAT_ENCODING"),
    },
}

State = dict[str, Any]


@contextmanager
def save_parts(folder: Path, state: State) -> Iterator[State]:
    """Write what is sharded into a new folder; gives the state with the folder's name instead.

    The caller then writes the file; older folders that no file names are removed after that.
    Every rank must call it. Raises CheckpointError on all of them if one cannot write.
    """
    optimizer = state.get("optimizer", {"state": {}, "param_groups": []})
    parts, rest = State(), State()
    names = parameter_names(optimizer)
    for index, fields in optimizer["state"].items():
        shards = [n for n, value in fields.items() if isinstance(value, DTensor)]
        parts |= {f"{names[index]}/{n}": fields[n] for n in shards}
        rest[index] = {n: value for n, value in fields.items() if n not in shards}
    if not parts:  # no step was done, or the optimizer keeps nothing
        yield state
        return
    name = write(folder / "sharded", parts)
    yield state | {"optimizer": optimizer | {"state": rest, "sharded": name}}
    if dist.get_rank() == 0:
        tidy(folder)


def parameter_names(optimizer: State) -> dict[int, str]:
    """The name of each parameter by its number in an optimizer's state."""
    return {
        index: name
        for group in optimizer["param_groups"]
        for index, name in zip(group["params"], group["param_names"], strict=True)
    }


def write(folder: Path, parts: State) -> str:
    """Write the parts of all ranks into a folder of this folder; returns its name."""
    partial = folder / "partial"
    if dist.get_rank() == 0:
        shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed
    dist.barrier()
    try:
        dcp.save(parts, storage_writer=dcp.FileSystemWriter(partial))
    except CheckpointException as error:
        first = next(iter(error.failures.values()))[0]
        raise CheckpointError(
            f"{partial} could not be written ({first}); the checkpoints before it are intact"
        ) from None
    own = {path.name: digest(path) for path in sorted(partial.glob(f"__{dist.get_rank()}_*"))}
    ranks: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(ranks, own)
    sums = {name: value for rank in ranks for name, value in rank.items()}
    name = hashlib.sha256(json.dumps(sums).encode()).hexdigest()[:16]
    if dist.get_rank() == 0:
        if (folder / name).exists():  # the same content once more
            shutil.rmtree(partial)
        else:
            sums[METADATA] = digest(partial / METADATA)  # in which each save has its own name
            write_atomic(partial / SUMS, json.dumps(sums, indent=2).encode())
            os.replace(partial, folder / name)
    return name


def tidy(folder: Path) -> None:
    """Remove the folders that no checkpoint needs any more."""
    kept = set()
    for path in folder.glob("*.pt"):
        try:
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except Exception:  # torch raises many kinds for a damaged file
            return
        kept.add(state["optimizer"].get("sharded"))
    for path in (folder / "sharded").iterdir():
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def check_parts(path: Path, state: State) -> None:
    """Compare the parts of a checkpoint with their checksums, and note where they are.

    Every rank must call it. Raises CheckpointError on all of them.
    """
    if name := state.get("optimizer", {}).get("sharded"):
        folder = path.parent / "sharded" / name
        if dist.is_initialized():
            ranks: list[Any] = [None] * dist.get_world_size()
            own = find_faults(folder, dist.get_rank(), dist.get_world_size())
            dist.all_gather_object(ranks, own)
        else:
            ranks = [find_faults(folder, 0, 1)]
        if faults := [fault for rank in ranks for fault in rank]:
            raise CheckpointError(f"{folder} is corrupt: {faults[0]}")
        state["optimizer"]["folder"] = folder


def find_faults(folder: Path, rank: int, world_size: int) -> list[str]:
    """What is wrong with a rank's share of the files."""
    try:
        sums = json.loads((folder / SUMS).read_text(encoding="utf-8"))
        mine = list(sums)[rank::world_size]
        wrong = [name for name in mine if digest(folder / name) != sums[name]]
        with (folder / METADATA).open("rb") as file:
            PlainUnpickler(file).load()
    except Exception as error:  # pickle raises nearly anything for damaged bytes
        return [str(error)]
    return [f"the checksum of {name} does not match" for name in wrong]


class PlainUnpickler(pickle.Unpickler):
    """Raises UnpicklingError for a pickle of more than plain data, and runs nothing of it."""

    def find_class(self, module: str, name: str) -> Any:
        dtype = module == "torch" and isinstance(getattr(torch, name, None), torch.dtype)
        path = module.partition(".")[0] == "pathlib" and name.endswith("Path")
        if dtype or path or name in PLAIN.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{METADATA} holds more than plain data: {module}.{name}")


def read_parts(optimizer: torch.optim.Optimizer, state: State) -> None:
    """Read the parts into an optimizer's state, sharded as its parameters are now.

    Every rank must call it, after `check_parts`.
    """
    if "folder" in state:
        numbers = {name: index for index, name in parameter_names(state).items()}
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        reader, parts = dcp.FileSystemReader(state["folder"]), State()
        for key in reader.read_metadata().state_dict_metadata:
            name, _, field = key.rpartition("/")
            index = numbers[name]
            parts[key] = state["state"][index][field] = torch.zeros_like(parameters[index])
        dcp.load(parts, storage_reader=reader)


def digest(path: Path) -> str:
    """The SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
