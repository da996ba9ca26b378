"""One process per GPU, started by torchrun, each with a part of every tensor of the model: FSDP2.

Without torchrun this is a group of one process.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, NoReturn, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from .device import pick_device
from .errors import FlagError, UserError
from .sharded import check_parts as check_parts
from .sharded import read_parts as read_parts
from .sharded import save_parts as save_parts

Example = tuple[torch.Tensor, torch.Tensor]  # inputs (2, ...), targets (2, ...)
T = TypeVar("T")
Model = TypeVar("Model", bound=nn.Module)
NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # torchrun sets all of them
GIVEN = {name: os.environ[name] for name in NEEDED if os.environ.get(name)}
LAUNCHED = len(GIVEN) == len(NEEDED)
RANK, WORLD_SIZE = (int(GIVEN[name]) for name in NEEDED[:2]) if LAUNCHED else (0, 1)
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", 0)) if LAUNCHED else 0  # on this machine
LAUNCHER = os.getppid()
LIMIT = timedelta(seconds=600)  # for each exchange: a rank that takes longer is given up


@contextmanager
def process_group(name: str) -> Iterator[torch.device]:
    """Join the other ranks; gives the device of this one."""
    from .signals import STOP  # which imports this module

    device = pick_device(name)
    if device.type == "cuda":
        here, count = int(os.environ.get("LOCAL_WORLD_SIZE", 1)), torch.cuda.device_count()
        if here > count:
            raise FlagError(f"{here} processes on {count} GPUs: start fewer, or add --device cpu")
        device = torch.device("cuda", LOCAL_RANK)
        torch.cuda.set_device(device)
    if not LAUNCHED and ("RANK" in GIVEN or GIVEN.get("WORLD_SIZE", "1") != "1"):
        missing = [name for name in NEEDED if name not in GIVEN]
        raise FlagError(f"a rank needs {', '.join(missing)} as well: torchrun sets all of them")
    if RANK >= WORLD_SIZE:
        sys.exit(f"error: RANK {RANK} must be below WORLD_SIZE {WORLD_SIZE}")
    # gloo beside NCCL, for values on the CPU
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    store = None if LAUNCHED else dist.HashStore()
    if store is None:
        threading.Thread(target=follow_launcher, daemon=True).start()
    # handlers of Python's would not run while this waits for the other ranks
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in STOP}
    try:
        dist.init_process_group(
            backend, timeout=LIMIT, store=store, rank=RANK, world_size=WORLD_SIZE
        )
        for number, handler in handlers.items():
            signal.signal(number, handler)
        yield device
    except RuntimeError as error:
        signs = ("closed by peer", "reset by peer", "broken pipe", "timed out", "timeout")
        if any(sign in str(error).lower() for sign in signs):
            raise UserError("another process of this run died or stopped responding") from error
        raise
    # leave together, and let gloo's threads release their tensors: its destructor aborts otherwise
    dist.all_reduce(torch.zeros(()))
    time.sleep(0.1)
    dist.destroy_process_group()


def follow_launcher() -> None:
    """End this process when torchrun is killed, which would leave it training.

    It may be gone already, and its store with it: importing torch takes seconds.
    """
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        address = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        try:
            socket.create_connection(address, timeout=60).close()
        except ConnectionRefusedError:
            os._exit(1)
    while os.getppid() == LAUNCHER:
        time.sleep(1)
    os._exit(1)


def fail(message: str, code: int) -> NoReturn:
    """End this rank. The first rank that fails speaks: one message, not one per rank."""
    if hasattr(signal, "SIGCHLD"):  # the death of one more data worker would be raised in here
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    first = LOCAL_RANK == 0
    if dist.is_initialized():
        with suppress(RuntimeError):  # the rank that kept the count is gone
            first = dist.distributed_c10d._get_default_store().add("failed", 1) == 1
    if first:
        print(message, file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(code)  # any other way out would wait for the other ranks


def place(model: Model, device: torch.device) -> Model:
    """Leave this rank its part of each tensor. The device holds one layer at a time as a whole."""
    mesh = init_device_mesh(device.type, (WORLD_SIZE,))
    uses = Counter(p for _, p in model.named_parameters(remove_duplicate=False))
    for part in layers(model):
        own = Counter(p for _, p in part.named_parameters(remove_duplicate=False))
        if own and all(uses[p] == count for p, count in own.items()):  # it shares no tensor
            fully_shard(part, mesh=mesh)
    # without a backward pass, as in evaluation, nobody else would give the whole tensors up
    fully_shard(model, mesh=mesh, reshard_after_forward=True)
    return model.to(device)


def layers(module: nn.Module) -> Iterator[nn.Module]:
    """What comes together at a time: each member of a list of layers; the rest with the model."""
    for child in module.children():
        yield from child if isinstance(child, nn.Sequential | nn.ModuleList) else layers(child)


def wrap(model: Any, device: torch.device, example: Example) -> nn.Module:
    """Keep whole tensors until the backward pass; `place` has made the model average gradients."""
    if hasattr(model, "set_reshard_after_forward"):  # older versions of torch gather them twice
        model.set_reshard_after_forward(False, recurse=False)
    return model


@contextmanager
def no_sync(model: Any, skip: bool) -> Iterator[None]:
    """Average only after the last pass of a step."""
    model.set_requires_gradient_sync(not skip)
    yield


def shard(indices: np.ndarray) -> np.ndarray:
    """This rank's part, without padding."""
    return indices[RANK::WORLD_SIZE]


class DelayedMax:
    """Has all ranks act at the same step on what one of them wants, without a wait.

    What the ranks hand in at one step is exchanged during the next, and then known to all; with
    `wait`, as at the end of an epoch, at once.
    """

    def __init__(self) -> None:
        self._pending: tuple[Any, torch.Tensor] | None = None

    def __call__(self, *values: int, wait: bool = False) -> list[int]:
        """Hand in this rank's values; get the largest of all ranks' from the step before."""
        agreed = [0] * len(values)
        if self._pending is not None:
            work, tensor = self._pending
            work.wait()
            agreed = tensor.tolist()
        tensor = torch.tensor([0 if any(agreed) else int(value) for value in values])
        self._pending = dist.all_reduce(tensor, dist.ReduceOp.MAX, async_op=True), tensor
        return self(*[0] * len(values)) if wait and not any(agreed) else agreed


def all_gather(value: T) -> list[T]:
    """The values of all ranks, on every rank."""
    values: list[Any] = [None] * WORLD_SIZE
    dist.all_gather_object(values, value)
    return values


def run_on_main(function: Callable[[], T]) -> T:
    """Call a function on rank 0; every rank gets its result or its UserError."""
    result: Any = None
    if RANK == 0:
        try:
            result = function()
        except UserError as error:
            result = error
    values = [result]
    dist.broadcast_object_list(values)
    if isinstance(values[0], UserError):
        raise values[0]
    return values[0]


def full(value: Any) -> Any:
    """Full tensors for the parts in (nested) containers, those on the CPU of rank 0 only."""
    if isinstance(value, dict):
        return {key: full(item) for key, item in value.items()}
    if not isinstance(value, DTensor):
        return value
    whole = value.full_tensor()
    if whole.ndim == 0:
        return whole
    return whole.cpu() if RANK == 0 else None  # one after the other: no device holds them all


def place_like(tensor: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """This rank's part of a full tensor that each rank has."""
    if isinstance(tensor, DTensor) or not isinstance(pattern, DTensor):
        return tensor
    tensor = tensor.to(pattern.device).contiguous()
    part = distribute_tensor(tensor, pattern.device_mesh, pattern.placements, src_data_rank=None)
    return part.clone()  # a view would keep all of it


def broadcast_buffers(model: nn.Module) -> None:
    """Send rank 0's buffers, such as batch norm statistics, to all ranks."""
    for buffer in model.buffers():
        dist.broadcast(buffer, src=0)
