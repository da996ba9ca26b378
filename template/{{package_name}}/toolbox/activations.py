"""Less memory for the same numbers: activations computed twice, or overwritten."""

import contextlib
from collections.abc import Iterator
from types import MethodType
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .freezing import NORMS, layers
from .settings import Memory


def save_memory(model: nn.Module, settings: Memory) -> None:
    """Do what the settings say, once, to a model that is to be trained."""
    if settings.inplace:
        overwrite(model)
    if settings.recompute:
        recompute(model)


def overwrite(model: nn.Module) -> None:
    """Let each activation function that can write its output over its input."""
    for module in model.modules():
        if hasattr(module, "inplace"):
            module.inplace = True  # type: ignore[assignment]


def recompute(model: nn.Module) -> None:
    """Let each layer forget its activations, and compute them again where the gradient needs them.

    Sublinear memory (Chen et al.: Training Deep Nets with Sublinear Memory Cost, 2016). What is
    kept are the inputs of the layers.
    """
    for layer in layers(model):
        # bound to the layer, so that a copy of the model runs the copy
        layer.forward = MethodType(forward_twice, layer)  # type: ignore[method-assign]


def forward_twice(layer: nn.Module, *inputs: Any) -> Any:
    """The forward pass of a layer; in training, it is done again before its backward pass."""
    forward = MethodType(type(layer).forward, layer)
    if not (layer.training and torch.is_grad_enabled()):
        return forward(*inputs)
    return checkpoint(
        forward,
        *inputs,
        use_reentrant=False,
        context_fn=lambda: (contextlib.nullcontext(), without_statistics(layer)),
    )


@contextlib.contextmanager
def without_statistics(layer: nn.Module) -> Iterator[None]:
    """Let norms write their statistics into copies: the first pass has counted the batch."""
    norms = [module for module in layer.modules() if isinstance(module, NORMS)]
    own = [dict(norm._buffers) for norm in norms]
    for norm, buffers in zip(norms, own, strict=True):
        norm._buffers.update((n, None if b is None else b.clone()) for n, b in buffers.items())
    try:
        yield
    finally:
        for norm, buffers in zip(norms, own, strict=True):
            norm._buffers.update(buffers)
