"""Several processes, one training run: start, sum, agree, stop.

torchrun starts the processes and tells each its rank. Started without torchrun, a process is a
world of its own, and everything here works the same.
"""

import datetime
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import torch
import torch.distributed as dist
from torch import nn

from .device import pick_device
from .errors import UserError
from .interrupt import die_with_launcher

T = TypeVar("T")


def rank() -> int:
    """The number of this process among all, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def is_main() -> bool:
    """Whether this is the one process that prints and writes."""
    return rank() == 0


def start(device_name: str, timeout: float = 600.0) -> torch.device:
    """Join the other processes; returns a device of this process's own where there are enough.

    `timeout` is how many seconds a collective may take before a lost rank is given up.
    """
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = pick_device(device_name)
    backend = "gloo"
    if device.type == "cuda":
        if device_name in ("auto", "cuda"):
            device = torch.device("cuda", local_rank % torch.cuda.device_count())
        torch.cuda.set_device(device)
        if processes_here() <= torch.cuda.device_count():
            # gloo beside NCCL: small agreements of the CPUs need not wait for the GPUs
            backend = "cpu:gloo,cuda:nccl"
    limit = datetime.timedelta(seconds=timeout)
    if "RANK" in os.environ:
        die_with_launcher()  # torchrun gives each rank a session, so its own end would leave them
        dist.init_process_group(backend, timeout=limit)
    else:
        store = dist.HashStore()
        dist.init_process_group(backend, timeout=limit, store=store, rank=0, world_size=1)
    return device


def processes_here() -> int:
    """How many of the processes run on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def stop() -> None:
    """Leave in good order: when all ranks are done, and nothing refers to the group any more.

    Gloo's threads need the GIL to let go of their last tensors, and its destructor holds the GIL
    while it waits for them: they are given the time to come to rest first.
    """
    if dist.is_initialized():
        last = torch.zeros(())
        dist.all_reduce(last)
        time.sleep(0.1 if world_size() > 1 else 0.01)  # alone, nothing is on its way
        dist.destroy_process_group()


def first_to_fail() -> bool:
    """Whether this process is the first to report an error: the message is shown once."""
    if not dist.is_initialized():
        return os.environ.get("RANK", "0") == "0"
    store = dist.distributed_c10d._get_default_store()
    try:
        return store.add("failed", 1) == 1
    except RuntimeError:  # the process that kept the count is gone
        return True


def lost_peer(error: Exception) -> bool:
    """Whether a collective failed for want of another process, and not for a fault of this one."""
    signs = ("closed by peer", "reset by peer", "broken pipe", "timed out", "timeout")
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in signs)


def sync_buffers(model: nn.Module) -> None:
    """Give every rank the buffers of rank 0, which are those that a checkpoint holds."""
    for buffer in model.buffers():
        dist.broadcast(buffer, src=0)


def gather(value: T) -> list[T]:
    """Every rank's value, in the order of the ranks, on every rank."""
    values: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(values, value)
    return values


def from_main(value: T) -> T:
    """The value of rank 0, on every rank."""
    values: list[Any] = [value]
    dist.broadcast_object_list(values, src=0)
    return values[0]


def on_main(function: Callable[[], T]) -> T:
    """Call a function on rank 0 alone; every rank gets its result, or raises its UserError."""
    result: T | UserError | None = None
    if is_main():
        try:
            result = function()
        except UserError as error:
            result = error
    result = from_main(result)
    if isinstance(result, UserError):
        raise result
    return cast(T, result)


class Mute:
    """Stands in, on the ranks that print and write nothing, for what does so on rank 0."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


def average(*tensors: torch.Tensor) -> None:
    """Give every rank the mean of what the ranks have in each tensor; whole numbers stay."""
    for tensor in tensors:
        if tensor.is_floating_point():
            dist.all_reduce(tensor)
            tensor.div_(dist.get_world_size())


def largest(value: int) -> int:
    """The largest of the ranks' numbers."""
    tensor = torch.tensor(value)
    dist.all_reduce(tensor, dist.ReduceOp.MAX)
    return int(tensor)


class Agreement:
    """Lets the ranks act on a signal at the same step, though it reaches them at different times.

    The exchange of one step is read at the next, when it has long arrived: no step waits for it.
    """

    def __init__(self) -> None:
        self._pending: tuple[dist.Work | None, torch.Tensor] | None = None

    def reached(self, *values: int) -> list[int]:
        """Hand in this rank's values; get the largest of all ranks' values of the call before."""
        agreed = [0] * len(values)
        if self._pending is not None:
            work, tensor = self._pending
            if work is not None:
                work.wait()
            agreed = tensor.tolist()
        tensor = torch.tensor(values)
        if any(agreed):
            tensor.zero_()  # it is being done now: it is not asked for a second time
        self._pending = dist.all_reduce(tensor, dist.ReduceOp.MAX, async_op=True), tensor
        return agreed
