"""Ways to begin: initial weights by name, and how far activations spread with them.

- kaiming: He et al., Delving Deep into Rectifiers, 2015, by the inputs of a layer
- xavier: Glorot, Bengio, Understanding the difficulty of training deep feedforward networks, 2010
- orthogonal: Saxe et al., Exact solutions to the nonlinear dynamics of learning, 2014
- lsuv: orthogonal, each layer scaled to outputs of variance 1; Mishkin, Matas, All you need is a
  good init, 2016
"""

import math
from collections.abc import Callable

import torch
from torch import nn

NARROW, WIDE = 0.01, 100.0  # spreads below and above which a layer is named

Layers = (nn.Linear, nn.modules.conv._ConvNd)
HOW: dict[str, Callable[[torch.Tensor], object]] = {
    "kaiming": lambda weight: nn.init.kaiming_normal_(weight, nonlinearity="relu"),
    "xavier": nn.init.xavier_uniform_,
    "orthogonal": lambda weight: nn.init.orthogonal_(weight, math.sqrt(2)),
    "lsuv": nn.init.orthogonal_,
}


@torch.no_grad()
def initialize_as(model: nn.Module, name: str) -> None:
    """Draw the weights of all linear and convolutional layers anew; their biases become zero."""
    for module in model.modules():
        if isinstance(module, Layers):
            drawn = torch.empty(module.weight.shape, device=module.weight.device)
            HOW[name](drawn)
            module.weight.copy_(drawn)  # in whatever memory format it has
            if module.bias is not None:
                nn.init.zeros_(module.bias)


@torch.no_grad()
def spreads(model: nn.Module, inputs: torch.Tensor, *, scale: bool = False) -> dict[str, float]:
    """The standard deviation of each layer's outputs in training, in the order that they run.

    With `scale` a layer's weights are first divided by it, and so the next layers see the result.
    Nothing else of the model changes.
    """
    layers = ((name, m) for name, m in model.named_modules() if isinstance(m, Layers))
    names: dict[nn.Module, str] = {module: name for name, module in layers}
    found: dict[str, float] = {}

    def look(module: nn.Module, _: object, outputs: torch.Tensor) -> torch.Tensor | None:
        found[names[module]] = float(outputs.float().std())
        if not scale or not found[names[module]]:
            return None
        deviation = found[names[module]]
        module.weight.div_(deviation)  # type: ignore[operator]
        found[names[module]] = 1.0
        return outputs / deviation  # biases are zero

    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    handles = [module.register_forward_hook(look) for module in names]
    try:
        model(inputs)
    finally:
        for handle in handles:
            handle.remove()
        for name, buffer in model.named_buffers():
            buffer.copy_(buffers[name])
    return found


def begin(model: nn.Module, name: str, inputs: torch.Tensor) -> list[str]:
    """Scale the layers where `name` asks for it; returns lines about the spread of activations."""
    if name == "lsuv":
        spreads(model, inputs, scale=True)
    found = spreads(model, inputs)
    low, high = (of(found, key=found.__getitem__) for of in (min, max))
    lines = [
        f"start   {name}: activations spread from {found[low]:.3g} ({low}) to {found[high]:.3g} "
        f"({high})"
    ]
    odd = [layer for layer, spread in found.items() if not NARROW <= spread <= WIDE]
    if odd:
        lines.append(f"warning: activations vanish or explode in {', '.join(odd[:3])}")
    return lines
