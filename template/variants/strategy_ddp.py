"""How the processes share a model: each has all of it, and DDP averages the gradients."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from ..base.errors import UserError


def wrap(model: nn.Module, device: torch.device) -> DistributedDataParallel:
    """Average gradients over the ranks during backward.

    Buffers are not broadcast at each step: batch norm does not read them in training, and
    `distributed.sync_buffers` sends those of rank 0 before they are used.
    """
    # torch 2.13 renamed the argument
    known = inspect.signature(DistributedDataParallel.__init__).parameters
    name = "forward_sync_buffers" if "forward_sync_buffers" in known else "broadcast_buffers"
    options: dict[str, Any] = {name: False}
    return DistributedDataParallel(
        model,
        device_ids=[device] if device.type == "cuda" else None,
        gradient_as_bucket_view=True,
        **options,
    )


def settle(wrapped: DistributedDataParallel, loss: Callable[[], torch.Tensor]) -> None:
    """Let DDP sort its gradients before the first step, by any loss of the model.

    After the first backward it sorts them anew, in the order in which they came. With three ranks
    or more their sums then round differently: a resumed run would not end with the same bits.
    """
    modes = {module: module.training for module in wrapped.modules()}
    wrapped.eval()  # so that no batch norm learns from it
    loss().backward()
    named = wrapped.module.named_parameters()
    if idle := [name for name, p in named if p.requires_grad and p.grad is None]:
        raise UserError(  # torch itself would fail at the next step, and name none of them
            f"no gradient reaches {', '.join(idle[:5])}{', ...' if len(idle) > 5 else ''}: use "
            "them in the loss, or --freeze them"
        )
    wrapped.zero_grad()
    for module, mode in modes.items():
        module.training = mode
