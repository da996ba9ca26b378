"""Weights of another model to start from, as far as they fit by name and shape."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn

from ..base.errors import CheckpointError
from . import checkpoint
from .trained import best_of, weights_of

Weights = dict[str, torch.Tensor]
WRAPPERS = ("module.", "_orig_mod.")  # what torch's own wrappers put before each name
NESTED = ("state_dict", "model_state_dict", "model")  # where others keep the weights
SHOWN = 3  # names of each kind in the report


def load_into(model: nn.Module, path: Path) -> list[str]:
    """Load what fits; returns lines that say what did and what did not.

    Raises CheckpointError where the file cannot be read, or none of its parameters fits.
    """
    path = best_of(path)
    given, own = read_weights(path), model.state_dict()
    renamed = max(renamings(given, own), key=lambda names: fitting(names, given, own))
    fits, other_shape, unknown = {}, [], []
    for name, tensor in given.items():
        target = renamed[name]
        if target not in own:
            unknown.append(name)
        elif own[target].shape != tensor.shape:
            shapes = (" x ".join(map(str, t.shape)) for t in (own[target], tensor))
            other_shape.append(f"{target} ({' for '.join(shapes)})")
        else:
            fits[target] = tensor
    parameters = dict(model.named_parameters())
    count = sum(parameter.numel() for name, parameter in parameters.items() if name in fits)
    if not count:
        raise CheckpointError(
            f"--init-from {path} fits nowhere: it begins with {brief(list(given))}, and the model "
            f"with {brief(list(own))}"
        )
    model.load_state_dict(own | fits)
    total = sum(parameter.numel() for parameter in parameters.values())
    lines = [
        f"start   {len(fits)} of {len(own)} tensors, {count:,} of {total:,} parameters, of {path}"
    ]
    absent = [name for name in own if name not in fits and name not in map(first, other_shape)]
    for what, names in (
        ("new, of another shape", other_shape),
        ("new, not in the file", absent),
        ("left out, not in the model", unknown),
    ):
        if names:
            lines.append(f"        {len(names)} {what}: {brief(names)}")
    return lines


def first(words: str) -> str:
    """The first word."""
    return words.partition(" ")[0]


def brief(names: list[str]) -> str:
    """The first few names."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def read_weights(path: Path) -> Weights:
    """The tensors of a file, by name: a checkpoint of ours, a state_dict, or .safetensors."""
    if not path.is_file():
        raise CheckpointError(f"--init-from {path}: there is no such file")
    if path.suffix == ".safetensors":
        return read_safetensors(path)
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for what it does not accept
        raise CheckpointError(
            f"--init-from {path} is no file of weights alone: it is damaged, or holds objects that "
            "would run code"
        ) from error
    if isinstance(found, dict) and {"model", "average", "facts"} <= found.keys():
        found = weights_of(checkpoint.load(path))  # which looks at its checksum
    for name in NESTED:
        if isinstance(found, dict) and isinstance(found.get(name), dict):
            found = found[name]
    tensors = found.items() if isinstance(found, dict) else ()
    weights = {str(name): value for name, value in tensors if isinstance(value, torch.Tensor)}
    if not weights:
        raise CheckpointError(f"--init-from {path} holds no tensors by name")
    return weights


def read_safetensors(path: Path) -> Weights:
    """The tensors of a .safetensors file."""
    try:
        from safetensors.torch import load_file  # an extra of this project
    except ImportError as error:
        raise CheckpointError(f"--init-from {path} needs: pip install safetensors") from error
    try:
        return load_file(path)
    except Exception as error:
        raise CheckpointError(f"--init-from {path} cannot be read: {error}") from error


def renamings(given: Weights, own: Weights) -> Iterator[dict[str, str]]:
    """Ways to read the names: as they are, with a prefix left out, or with one put before."""
    plain = {name: name for name in given}
    for wrapper in WRAPPERS * 2:
        plain = {name: short.removeprefix(wrapper) for name, short in plain.items()}
    yield plain
    for prefix, _ in Counter(short.partition(".")[0] for short in plain.values()).most_common():
        yield {name: short.removeprefix(f"{prefix}.") for name, short in plain.items()}
    for prefix in {name.partition(".")[0]: None for name in own}:
        yield {name: f"{prefix}.{short}" for name, short in plain.items()}


def fitting(names: dict[str, str], given: Weights, own: Weights) -> int:
    """How many tensors fit by name and shape."""
    return sum(
        names[name] in own and own[names[name]].shape == tensor.shape
        for name, tensor in given.items()
    )
