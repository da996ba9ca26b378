"""Parts of a model that are kept as they are, and layers that learn at their own rates."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from torch import nn

from ..base.errors import FlagError
from ..config import Config

BatchNorm = nn.modules.batchnorm._NormBase  # norms that behave differently in training


def find(model: nn.Module, patterns: Sequence[str]) -> tuple[list[nn.Parameter], list[nn.Module]]:
    """The parameters that patterns name, alone or by their module, and the batch norms among them.

    A norm is among them if it stands in a module that is named, or all of its parameters are.
    Raises FlagError for a pattern that matches nothing.
    """
    modules = {name: module for name, module in model.named_modules() if name}
    parameters = dict(model.named_parameters())
    found: dict[nn.Parameter, None] = {}  # a set that keeps its order
    norms: dict[nn.Module, None] = {}
    for pattern in patterns:
        names = [name for name in [*modules, *parameters] if fnmatchcase(name, pattern)]
        if not names:
            near = get_close_matches(pattern, [*modules, *parameters], 3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise FlagError(f"--freeze {pattern} matches no module or parameter{hint}")
        for name in names:
            if name in parameters:
                found[parameters[name]] = None
            else:
                found.update(dict.fromkeys(modules[name].parameters()))
                norms.update((m, None) for m in modules[name].modules() if isinstance(m, BatchNorm))
    for module in modules.values():
        own = list(module.parameters())
        if isinstance(module, BatchNorm) and own and all(p in found for p in own):
            norms[module] = None
    return list(found), list(norms)


def freeze(model: nn.Module, patterns: Sequence[str]) -> None:
    """Keep parts of a model: no gradients, and batch norms as in evaluation.

    The optimizer has these parameters, but passes over what has no gradient.
    """
    parameters, norms = find(model, patterns)
    for parameter in parameters:
        parameter.requires_grad_(False)
    for norm in norms:
        norm.eval()
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise FlagError(f"--freeze {' '.join(patterns)} leaves nothing to train")


def layers(model: nn.Module) -> Iterator[nn.Module]:
    """The layers of a model from its input on: its children, those of a sequence one by one."""
    for child in model.children():
        if isinstance(child, nn.Sequential | nn.ModuleList):
            yield from child.children()
        else:
            yield child


def set_rates(
    groups: list[dict[str, Any]], model: nn.Module, config: Config
) -> list[dict[str, Any]]:
    """Split parameter groups by layer, the last layer first, each with its learning rate.

    The last layer's is multiplied by --head-lr, that of each layer before it by one --layer-decay
    more (Bao et al., BEiT, 2021). Parameters outside of the model, of a loss, go with the last.
    """
    with_weights = [layer for layer in layers(model) if any(True for _ in layer.parameters())]
    factors: dict[nn.Parameter, float] = {}
    for height, layer in enumerate(reversed(with_weights)):
        factor = config.head_lr if height == 0 else config.layer_decay**height
        factors.update((p, factor) for p in layer.parameters() if p not in factors)
    # what belongs to no layer, such as a class token, goes with the first
    lowest = config.layer_decay ** max(0, len(with_weights) - 1)
    for parameter in model.parameters():
        factors.setdefault(parameter, lowest)
    parts: list[tuple[float, dict[str, Any]]] = []
    for group in groups:
        own = [factors.get(parameter, config.head_lr) for _, parameter in group["params"]]
        for factor in set(own):
            chosen = [pair for pair, f in zip(group["params"], own, strict=True) if f == factor]
            lr = group.get("lr", config.lr) * factor
            parts.append((factor, group | {"params": chosen, "lr": lr}))
    return [part for _, part in sorted(parts, key=lambda pair: -pair[0])]
