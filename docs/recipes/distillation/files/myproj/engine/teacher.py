"""A trained model that another one learns from.

It is no part of the model that is trained: not of its parameters, its average or its checkpoints.
So all that is done with a checkpoint later does without it.
"""

import hashlib
from pathlib import Path

import torch
from torch import nn

from ..base.errors import CheckpointError, FlagError
from ..base.facts import Facts
from ..config import SOFTMAX
from ..toolbox.losses import shares_of
from .forward import forward
from .trained import load_trained


class Teacher:
    """Adds its scores to the targets of a batch."""

    def __init__(self, path: Path, facts: Facts, device: torch.device) -> None:
        """Read a run or a checkpoint; raises CheckpointError where it cannot be read.

        Raises FlagError for a teacher of other classes or inputs than those of the facts.
        """
        try:
            trained = load_trained(path, device)
        except CheckpointError as error:
            raise CheckpointError(f"--teacher: {error}") from error
        if trained.config.loss not in SOFTMAX:
            raise FlagError(
                f"--teacher {path} was trained with --loss {trained.config.loss}: its scores are "
                f"not those of a softmax, as --loss {' or '.join(SOFTMAX)} makes them"
            )
        known, wanted = ((f.classes, f.shape, f.dtype) for f in (trained.facts, facts))
        if known != wanted:
            odd = sorted(set(facts.classes) ^ set(trained.facts.classes))
            only = f"; only one of them has {', '.join(odd[:5])}" if odd else ""
            raise FlagError(
                f"--teacher {path} knows {len(known[0])} classes of {known[2]} {known[1]}, not the "
                f"{len(wanted[0])} of {wanted[2]} {wanted[1]} that the data has{only}"
            )
        self.model = trained.model.eval()
        digest = hashlib.sha256()
        for tensor in self.model.state_dict().values():
            digest.update(tensor.cpu().contiguous().numpy().tobytes())
        self.digest = digest.hexdigest()[:16]

    @torch.no_grad()
    def teach(self, model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Targets (B, 2, classes): the share of each class, and the scores for the inputs.

        These are computed in the precision of the model that learns, which `verify` doubles.
        """
        self.model.to(next(model.parameters()).dtype)
        scores = forward(self.model, inputs)  # (B, classes)
        return torch.stack([shares_of(targets, scores), scores], dim=1)
