"""How the processes share a model: by FSDP2, each keeps a part of every tensor that is trained.

The tensors of a layer come together while it computes, and are let go of again. A process alone
has nobody to share with: its model stays whole, and all of this leaves it as it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from ..base import distributed
from ..base.errors import FlagError, UserError
from ..data.dataset import Batch
from ..toolbox.freezing import layers

Tensors = dict[str, torch.Tensor]


def home(device: torch.device) -> torch.device:
    """Where to build a model: on the CPU if it is sharded then, as no device need hold it whole."""
    return torch.device("cpu") if distributed.world_size() > 1 else device


def shard(model: nn.Module, device: torch.device) -> None:
    """Leave each process its part of a model, on its device; every rank must call it.

    The device holds one layer at a time as a whole. Raises UserError where that cannot be done.
    """
    if distributed.world_size() == 1:
        return
    if device.type == "cuda" and distributed.processes_here() > torch.cuda.device_count():
        raise FlagError(
            f"{distributed.processes_here()} processes share {torch.cuda.device_count()} GPUs, "
            "and each part of the model wants one of its own: start fewer processes"
        )
    for name, parameter in model.named_parameters():
        if parameter.ndim == 0:
            raise UserError(f"{name} is a single number, and has no parts: give it the shape (1,)")
        parameter.data = parameter.data.contiguous()  # FSDP knows no channels_last
    mesh = init_device_mesh(device.type, (distributed.world_size(),))
    for part in (*units(model), model):
        # the model itself, too: what is not sharded between two steps would not be found there
        fully_shard(part, mesh=mesh, reshard_after_forward=True)


def units(model: nn.Module) -> Iterator[nn.Module]:
    """The layers that come together each by itself; what is left does so with the model.

    That is what shares a tensor with another layer, and what has no forward pass of its own.
    """
    uses = Counter(p for _, p in model.named_parameters(remove_duplicate=False))
    for layer in layers(model):
        own = Counter(p for _, p in layer.named_parameters(remove_duplicate=False))
        alone = all(uses[parameter] == count for parameter, count in own.items())
        if own and alone and type(layer).forward is not nn.Module.forward:
            yield layer


def exchange_gradients(model: nn.Module, now: bool) -> None:
    """Whether the next backward pass ends with the mean gradient over the ranks."""
    if isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(now)


def full(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as one process would have it; every rank must call it."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def local(tensor: torch.Tensor) -> torch.Tensor:
    """This rank's part of a tensor, which may be empty."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def whole(tensors: Tensors) -> Tensors:
    """Full tensors on the CPU of rank 0, one after the other; nothing on the other ranks.

    Every rank must call it.
    """
    found: Tensors = {}
    for name, tensor in tensors.items():
        complete = full(tensor)
        if distributed.is_main():
            found[name] = complete.cpu()
    return found


def like(tensor: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """This rank's part of a full tensor, which every rank has, sharded as the pattern is."""
    if isinstance(tensor, DTensor) or not isinstance(pattern, DTensor):
        return tensor
    tensor = tensor.to(pattern.device, pattern.dtype)
    return distribute_tensor(tensor, pattern.device_mesh, pattern.placements, src_data_rank=None)


def together(
    batches: Iterator[Batch], model: nn.Module, stopped: Callable[[], bool]
) -> Iterator[Batch | None]:
    """This rank's batches, then None for as long as another one has some: they need its part.

    Ends on all ranks at once, also where `stopped` turns true on one of them.
    """
    while True:
        batch = next(batches, None)
        state = 2 if stopped() else int(batch is not None)
        if isinstance(model, FSDPModule):
            state = distributed.largest(state)
        if state != 1:
            return
        yield batch
