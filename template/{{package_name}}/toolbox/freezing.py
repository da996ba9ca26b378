"""Parts of a model that are left as they are, and layers that learn at rates of their own."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import torch
from torch import nn

from ..base.errors import FlagError

NORMS = nn.modules.batchnorm._NormBase  # those that behave differently in training


def frozen_parts(
    model: nn.Module, patterns: Sequence[str]
) -> tuple[list[nn.Parameter], list[nn.Module]]:
    """The parameters that patterns name, alone or by their module, and norms that stop with them.

    A norm stops where it stands in a module that is named, or all of its parameters do. Raises
    FlagError for a pattern that fits nothing.
    """
    modules = {name: module for name, module in model.named_modules() if name}
    parameters = dict(model.named_parameters())
    found: dict[nn.Parameter, None] = {}  # a set that keeps its order
    norms: dict[nn.Module, None] = {}
    for pattern in patterns:
        named = [name for name in [*modules, *parameters] if fnmatchcase(name, pattern)]
        if not named:
            near = get_close_matches(pattern, [*modules, *parameters], 3)
            meant = f"; near it are {', '.join(near)}" if near else ""
            raise FlagError(f"--freeze {pattern}: no module or parameter is named so{meant}")
        for name in named:
            if name in parameters:
                found[parameters[name]] = None
            else:
                found.update(dict.fromkeys(modules[name].parameters()))
                norms.update((m, None) for m in modules[name].modules() if isinstance(m, NORMS))
    for module in modules.values():
        own = list(module.parameters())
        if isinstance(module, NORMS) and own and all(p in found for p in own):
            norms[module] = None
    return list(found), list(norms)


def freeze(model: nn.Module, patterns: Sequence[str]) -> None:
    """Leave parts of a model as they are: no gradient, no step, statistics as in evaluation."""
    parameters, norms = frozen_parts(model, patterns)
    for parameter in parameters:
        parameter.requires_grad_(False)
    for norm in norms:
        norm.eval()
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise FlagError(f"--freeze {' '.join(patterns)} leaves nothing to train")


def thaw(model: nn.Module, patterns: Sequence[str]) -> None:
    """Train these parts, too, from here on."""
    parameters, norms = frozen_parts(model, patterns)
    for parameter in parameters:
        parameter.requires_grad_(True)
    for norm in norms:
        norm.train()


def leave_out_frozen(optimizer: torch.optim.Optimizer) -> None:
    """Keep what is frozen out of each group, and groups without parameters out of the optimizer."""
    for group in optimizer.param_groups:
        kept = [i for i, parameter in enumerate(group["params"]) if parameter.requires_grad]
        for name in ("params", "param_names"):
            group[name] = [group[name][i] for i in kept]
    optimizer.param_groups[:] = [group for group in optimizer.param_groups if group["params"]]


def carry_over(old: torch.optim.Optimizer, new: torch.optim.Optimizer) -> None:
    """Give a new optimizer what an old one knows of the parameters that both have.

    The others begin with no momentum: fused SGD wants that of all parameters, or of none.
    """
    new.state.update(old.state)
    for group in new.param_groups:
        for parameter in group["params"] if group.get("momentum") else ():
            if parameter not in old.state:
                new.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)


def layers(model: nn.Module) -> Iterator[nn.Module]:
    """The layers of a model from its input on: its children, a sequence among them one by one."""
    for child in model.children():
        if isinstance(child, nn.Sequential | nn.ModuleList):
            yield from child.children()
        else:
            yield child


def set_rates(
    optimizer: torch.optim.Optimizer, model: nn.Module, head: float, decay: float
) -> None:
    """Multiply the rate of the last layer by `head`, that of each before it by one `decay` more.

    Groups are split where their layers differ, the last layer first. As in BEiT (Bao et al., 2021),
    whose decay from layer to layer fine-tuning has used since.
    """
    with_weights = [layer for layer in layers(model) if any(True for _ in layer.parameters())]
    factors: dict[nn.Parameter, float] = {}
    for height, layer in enumerate(reversed(with_weights)):
        factor = head if height == 0 else decay**height
        factors.update((p, factor) for p in layer.parameters() if p not in factors)
    lowest = min(factors.values(), default=1.0)  # of what belongs to the model itself
    parts = []
    for group in optimizer.param_groups:
        own = [factors.get(parameter, lowest) for parameter in group["params"]]
        for factor in sorted(set(own), reverse=True):
            chosen = [i for i, value in enumerate(own) if value == factor]
            part = dict(group, lr=group["lr"] * factor)
            for name in ("params", "param_names"):
                part[name] = [group[name][i] for i in chosen]
            parts.append((factor, part))
    parts.sort(key=lambda pair: -pair[0])  # stable, so what decays stays first
    optimizer.param_groups[:] = [part for _, part in parts]
