"""The part of a checkpoint that stays sharded: what the optimizer knows of each parameter.

It lies in a folder beside the checkpoint's file, as torch.distributed.checkpoint writes it, so any
number of processes can read it. Its name is the checksum of the file, which needs no other mark.
"""

import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import checkpoint as dcp
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor

from ..base import distributed
from ..base.errors import CheckpointError
from ..base.files import sync_folder, write_atomic

METADATA = ".metadata"
SUMS = "sha256.json"  # written last: a folder that has it is whole

# the classes of torch's list of the parts, which is a pickle: any other could run code
PLAIN = {
    "torch": {"Size"},
    "torch.serialization": {"_get_layout"},
    "torch.distributed.checkpoint.filesystem": {"_StorageInfo"},
    "torch.distributed.checkpoint.metadata": {
        *("Metadata", "MetadataIndex", "StorageMeta", "TensorStorageMetadata"),
        *("ChunkStorageMetadata", "TensorProperties", "_MEM_FORMAT_ENCODING"),
    },
}

Parts = dict[str, DTensor]  # by parameter and field, as "head.weight/exp_avg"
State = dict[str, Any]  # of an optimizer


def take_out(state: State) -> Parts:
    """Copy the sharded tensors of an optimizer's state to the CPU, and leave the rest there."""
    names = {
        index: name
        for group in state["param_groups"]
        for index, name in zip(group["params"], group["param_names"], strict=True)
    }
    mesh = init_device_mesh("cpu", (distributed.world_size(),))
    parts: Parts = {}
    for index, fields in state["state"].items():
        for field in [name for name, value in fields.items() if isinstance(value, DTensor)]:
            parts[f"{names[index]}/{field}"] = on_cpu(fields[field], mesh)
        state["state"][index] = {n: v for n, v in fields.items() if not isinstance(v, DTensor)}
    return parts


def on_cpu(tensor: DTensor, mesh: DeviceMesh) -> DTensor:
    """A copy that later steps do not change."""
    return DTensor.from_local(
        tensor.to_local().detach().to("cpu", copy=True),
        mesh,
        tensor.placements,
        run_check=False,
        shape=tensor.shape,
        stride=tensor.stride(),
    )


def put_back(optimizer: torch.optim.Optimizer, state: State, folder: Path) -> None:
    """Read the sharded tensors into an optimizer's state, as its parameters are sharded now.

    Every rank must call it.
    """
    parameters = {
        name: (index, parameter)
        for saved, group in zip(state["param_groups"], optimizer.param_groups, strict=True)
        for index, name, parameter in zip(
            saved["params"], saved["param_names"], group["params"], strict=True
        )
    }
    reader = dcp.FileSystemReader(folder)
    wanted: dict[str, torch.Tensor] = {}
    for part in reader.read_metadata().state_dict_metadata:
        name, _, field = part.rpartition("/")
        index, parameter = parameters[name]
        wanted[part] = state["state"][index][field] = torch.zeros_like(parameter)
    dcp.load(wanted, storage_reader=reader)


def write(folder: Path, parts: Parts, group: dist.ProcessGroup) -> None:
    """Write the parts of all ranks into `sharded/partial`; every rank must call it.

    Raises CheckpointError on all of them where one cannot write.
    """
    partial = folder / "sharded" / "partial"
    if distributed.is_main():
        shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed
    try:
        dcp.save(parts, storage_writer=dcp.FileSystemWriter(partial), process_group=group)
    except CheckpointException as error:
        first = next(iter(error.failures.values()))[0]
        raise CheckpointError(
            f"{partial} could not be written ({first}); the checkpoints before it are intact"
        ) from None
    own = {path.name: digest(path) for path in sorted(partial.glob(f"__{distributed.rank()}_*"))}
    sums: list[Any] = [None] * distributed.world_size()
    dist.all_gather_object(sums, own, group=group)
    if distributed.is_main():
        known = {name: value for of_rank in sums for name, value in of_rank.items()}
        known[METADATA] = digest(partial / METADATA)
        write_atomic(partial / SUMS, json.dumps(known, indent=2).encode())


def place(folder: Path, name: str) -> None:
    """Give what `write` wrote the name of its checkpoint, before that is written."""
    partial, final = folder / "sharded" / "partial", folder / "sharded" / name
    if final.exists():  # the same checkpoint once more
        shutil.rmtree(partial)
    else:
        os.replace(partial, final)
        sync_folder(final.parent)


def tidy(folder: Path, kept: set[str]) -> None:
    """Remove the folders that no checkpoint needs any more."""
    for path in (folder / "sharded").glob("*"):
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def check(folder: Path) -> None:
    """Compare each file with its checksum; raises CheckpointError on every rank."""
    found = distributed.gather(faults(folder))
    if missed := [fault for of_rank in found for fault in of_rank]:
        raise CheckpointError(f"{folder} is damaged: {missed[0]}")


def faults(folder: Path) -> list[str]:
    """What is wrong with this rank's share of the files."""
    try:
        sums = json.loads((folder / SUMS).read_text(encoding="utf-8"))
        mine = list(sums)[distributed.rank() :: distributed.world_size()]
        wrong = [name for name in mine if digest(folder / name) != sums[name]]
        with (folder / METADATA).open("rb") as file:
            PlainUnpickler(file).load()
    except Exception as error:  # damaged bytes make pickle raise nearly anything
        return [str(error)]
    return [f"the checksum of {name} does not match its content" for name in wrong]


class PlainUnpickler(pickle.Unpickler):
    """Raises UnpicklingError for a pickle of more than plain data, and runs nothing of it."""

    def find_class(self, module: str, name: str) -> Any:
        dtype = module == "torch" and isinstance(getattr(torch, name, None), torch.dtype)
        path = module.partition(".")[0] == "pathlib" and name.endswith("Path")
        if dtype or path or name in PLAIN.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{METADATA} holds more than plain data: {module}.{name}")


def sums(folder: Path) -> dict[str, str]:
    """The checksums of the tensors' files; none where a checkpoint has no such folder."""
    path = folder / SUMS
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known.pop(METADATA, None)  # in which each save has a name of its own
    return known


def digest(path: Path) -> str:
    """The SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
