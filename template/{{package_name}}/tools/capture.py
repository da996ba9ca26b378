"""What passes through layers of a model: their inputs, their outputs, the gradients of these.

    with captured(model, ["stages.2", "head"]) as found:
        task.loss(model(inputs), targets).backward()
    found["head"].inputs, found["head"].gradient

The model itself is not changed, and each tensor is there until the next forward pass.
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
class Passed:
    """What the last call of a layer was given and gave; None where that was no tensor."""

    inputs: torch.Tensor | None = None  # its first one
    outputs: torch.Tensor | None = None
    gradient: torch.Tensor | None = None  # of the outputs, after a backward pass


@contextmanager
def captured(model: nn.Module, names: Iterable[str]) -> Iterator[dict[str, Passed]]:
    """Keep what passes through the layers of these names, in the order in which they are called.

    Raises FlagError for a name that the model does not have.
    """
    found: dict[str, Passed] = {}
    modules = {name: layer_of(model, name) for name in names}
    handles = [
        module.register_forward_hook(keeping(found, name)) for name, module in modules.items()
    ]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def keeping(found: dict[str, Passed], name: str) -> Callable[..., None]:
    """A hook that keeps what passes through one layer."""

    def keep(_: nn.Module, inputs: tuple[Any, ...], outputs: Any) -> None:
        found.pop(name, None)  # so that the last one called comes last
        passed = found[name] = Passed()
        if inputs and isinstance(inputs[0], torch.Tensor):
            passed.inputs = inputs[0]
        if isinstance(outputs, torch.Tensor):
            passed.outputs = outputs.detach()
            if outputs.requires_grad:
                outputs.register_hook(lambda gradient: setattr(passed, "gradient", gradient))

    return keep


def layer_of(model: nn.Module, name: str) -> nn.Module:
    """The layer that `summary` shows under this name; raises FlagError."""
    modules = dict(model.named_modules())
    if name in modules:
        return modules[name]
    near = get_close_matches(name, modules, 1)
    raise FlagError(
        f"the model has no layer {name!r}{f'; did you mean {near[0]}?' if near else ''} "
        "(tools.summary --depth 0 shows all)"
    )


def weighted_layers(model: nn.Module) -> list[str]:
    """The names of the layers that have weights themselves."""
    return [name for name, module in model.named_modules() if module._parameters]


def by_channel(values: torch.Tensor, layer: nn.Module) -> torch.Tensor:
    """Values (B, ...) of a layer as (B, positions, channels).

    Linear layers, and norms over the last dimension, have their channels last, as transformers do
    (B, T, C); all others have them behind the batch (B, C, ...).
    """
    if values.ndim == 3 and not isinstance(layer, CHANNELS_SECOND):
        return values
    if values.ndim < 3:
        return values.reshape(len(values), 1, -1)
    return values.flatten(2).transpose(1, 2)
