"""One process per GPU, started by torchrun: slices of the data, averaged gradients, summed metrics.

Without torchrun this is a group of one process.
"""

import inspect
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from .device import pick_device
from .errors import FlagError, UserError

State = dict[str, Any]
Example = tuple[torch.Tensor, torch.Tensor]  # inputs (2, ...), targets (2, ...)
T = TypeVar("T")
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


def place(model: T, device: torch.device) -> T:
    """Images come as (B, H, W, C), which is this layout."""
    return model.to(device, memory_format=torch.channels_last)  # type: ignore[attr-defined]


def wrap(model: nn.Module, device: torch.device, example: Example) -> nn.Module:
    """Average the gradients over the ranks; needs a batch to settle DDP's buckets.

    DDP orders them anew after its first backward pass, which changes how sums over three or more
    ranks round: a resumed run would not end with the same bits. So that pass happens here.
    """
    ids = [device] if device.type == "cuda" else None
    # buffers are sent where they are used, in evaluation; torch 2.13 renamed the argument
    known = inspect.signature(DistributedDataParallel.__init__).parameters
    name = "forward_sync_buffers" if "forward_sync_buffers" in known else "broadcast_buffers"
    options: dict[str, Any] = {name: False, "gradient_as_bucket_view": True}
    wrapped = DistributedDataParallel(model, device_ids=ids, **options)
    modes = {module: module.training for module in model.modules()}
    model.eval()
    inputs, targets = (tensor.to(device) for tensor in example)
    wrapped(inputs, targets)[0].backward()
    model.zero_grad()
    for module, mode in modes.items():
        module.training = mode
    return wrapped


def no_sync(model: Any, skip: bool) -> AbstractContextManager[None]:
    """Average only after the last pass of a step."""
    return model.no_sync() if skip else nullcontext()


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


def full(value: T) -> T:
    return value


def place_like(tensor: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    # a fused optimizer takes for granted that its state lies in memory as the parameter does
    return torch.empty_like(pattern, dtype=tensor.dtype).copy_(tensor)


def broadcast_buffers(model: nn.Module) -> None:
    """Send rank 0's buffers, such as batch norm statistics, to all ranks."""
    for buffer in model.buffers():
        dist.broadcast(buffer, src=0)


def save_parts(folder: Path, state: State) -> AbstractContextManager[State]:
    return nullcontext(state)


def check_parts(path: Path, state: State) -> None:
    pass


def read_parts(optimizer: torch.optim.Optimizer, state: State) -> None:
    pass
