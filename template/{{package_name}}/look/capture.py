"""What passes through layers of a model: their inputs, their outputs, the gradients of these.

    with capture(model, ["stages.2", "head"]) as found:
        task.loss(model(inputs), targets).backward()
    found["head"].inputs, found["head"].gradient

Each tensor is there until the next forward pass.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import torch
from torch import nn

from ..base.errors import FlagError

CHANNELS_SECOND = (nn.modules.conv._ConvNd, nn.modules.batchnorm._NormBase, nn.GroupNorm)


@dataclass
class Captured:
    """What the last call of a layer took and returned; None if that was not a tensor."""

    inputs: torch.Tensor | None = None  # the first of them
    outputs: torch.Tensor | None = None
    gradient: torch.Tensor | None = None  # of the outputs, after a backward pass


@contextmanager
def capture(model: nn.Module, names: Iterable[str]) -> Iterator[dict[str, Captured]]:
    """Keep what passes through the layers of these names, in the order in which they are called.

    Raises FlagError for a name that the model does not have.
    """
    found: dict[str, Captured] = {}
    layers = {name: find_layer(model, name) for name in names}
    handles = [layer.register_forward_hook(hook(found, name)) for name, layer in layers.items()]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def hook(found: dict[str, Captured], name: str) -> Callable[..., None]:
    """A forward hook that keeps what passes through a layer."""

    def keep(_: nn.Module, inputs: tuple[Any, ...], outputs: Any) -> None:
        found.pop(name, None)  # the last layer called comes last
        captured = found[name] = Captured()
        if inputs and isinstance(inputs[0], torch.Tensor):
            captured.inputs = inputs[0]
        if isinstance(outputs, torch.Tensor):
            captured.outputs = outputs.detach()
            if outputs.requires_grad:
                outputs.register_hook(lambda gradient: setattr(captured, "gradient", gradient))

    return keep


def find_layer(model: nn.Module, name: str) -> nn.Module:
    """The layer of this name, as in `named_modules`; raises FlagError."""
    modules = dict(model.named_modules())
    if name in modules:
        return modules[name]
    near = get_close_matches(name, modules, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise FlagError(f"the model has no layer {name!r}{hint} (look summary --depth 9 shows all)")


def weighted_layers(model: nn.Module) -> list[str]:
    """The names of the layers that have weights of their own."""
    return [name for name, module in model.named_modules() if module._parameters]


def by_channel(values: torch.Tensor, layer: nn.Module) -> torch.Tensor:
    """Values (B, ...) of a layer as (B, positions, channels).

    Linear layers, and norms over the last dimension, have their channels last, as transformers do
    (B, T, C); all others have them after the batch (B, C, ...).
    """
    if values.ndim == 3 and not isinstance(layer, CHANNELS_SECOND):
        return values
    if values.ndim < 3:
        return values.reshape(len(values), 1, -1)
    return values.flatten(2).transpose(1, 2)
