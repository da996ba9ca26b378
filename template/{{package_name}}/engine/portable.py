"""A trained model as .safetensors: weights alone, and within, as text, what they belong to."""

import json
from pathlib import Path

import torch

from ..base.errors import CheckpointError
from . import checkpoint
from .exported import about
from .trained import Trained, assembled

ABOUT = "about"  # the key of that text
NEEDED = "this needs safetensors: pip install -e '.[toolbox]'"


def to_safetensors(trained: Trained) -> bytes:
    """The content of a file; raises CheckpointError where the library is not installed."""
    try:
        from safetensors.torch import save  # an extra of this project
    except ImportError as error:
        raise CheckpointError(NEEDED) from error
    # each by itself: the format has no tensor of two names
    own = {name: t.cpu().contiguous().clone() for name, t in trained.model.state_dict().items()}
    return save(own, {ABOUT: json.dumps(about(trained)), "format": "pt"})


def from_safetensors(path: Path, device: torch.device) -> Trained:
    """Read such a file; raises CheckpointError where it is damaged, or of another model."""
    try:
        from safetensors import safe_open  # an extra of this project
    except ImportError as error:
        raise CheckpointError(NEEDED) from error
    if not path.is_file():
        raise CheckpointError(f"{path} cannot be read: No such file")
    try:
        with safe_open(path, "pt") as file:
            known = json.loads((file.metadata() or {}).get(ABOUT, "null"))
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # the library raises kinds of its own
        raise CheckpointError(f"{path} is damaged: {error}") from error
    if known is None:
        raise CheckpointError(f"{path} has weights alone: start from them with --init-from")
    with checkpoint.reading(path):
        return assembled(known, weights, path, device)
