"""One process. `torchgen set parallelism=ddp` replaces this file by one with torch.distributed."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import torch
from torch import nn

from .device import pick_device

State = dict[str, Any]
Example = tuple[torch.Tensor, torch.Tensor]  # inputs (2, ...), targets (2, ...)
T = TypeVar("T")
RANK, WORLD_SIZE = 0, 1


@contextmanager
def process_group(device: str) -> Iterator[torch.device]:
    yield pick_device(device)


def fail(message: str, code: int) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(code)


def place(model: T, device: torch.device) -> T:
    # images come as (B, H, W, C), which is this layout
    return model.to(device, memory_format=torch.channels_last)  # type: ignore[attr-defined]


def wrap(model: nn.Module, device: torch.device, example: Example) -> nn.Module:
    return model


def no_sync(model: nn.Module, skip: bool) -> AbstractContextManager[None]:
    return nullcontext()


def shard(indices: np.ndarray) -> np.ndarray:
    return indices


def run_on_main(function: Callable[[], T]) -> T:
    return function()


def all_gather(value: T) -> list[T]:
    return [value]


class DelayedMax:
    def __call__(self, *values: int, wait: bool = False) -> list[int]:
        return list(values)


def full(value: T) -> T:
    return value


def place_like(tensor: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    # a fused optimizer takes for granted that its state lies in memory as the parameter does
    return torch.empty_like(pattern, dtype=tensor.dtype).copy_(tensor)


def broadcast_buffers(model: nn.Module) -> None:
    pass


def save_parts(folder: Path, state: State) -> AbstractContextManager[State]:
    return nullcontext(state)


def check_parts(path: Path, state: State) -> None:
    pass


def read_parts(optimizer: torch.optim.Optimizer, state: State) -> None:
    pass
