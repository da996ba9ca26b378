"""What a run must know of its data, measured once at its start."""

from typing import NamedTuple, Self

import numpy as np
import torch

from .values import Plain


class Facts(NamedTuple):
    """Kept in the checkpoint, compared at a resume."""

    classes: list[str]
    shape: tuple[int, ...]  # of an input: H, W, C
    dtype: str  # of its values, as numpy calls it
    samples: int  # for training
    mean: list[float]  # of the values, for each index of the last dimension: each channel
    std: list[float]
    fingerprint: str  # of the training targets and of the inputs behind mean and std
    targets: Plain  # what `target_facts` in task.py says of those to train on

    def to_plain(self) -> Plain:
        """The facts as JSON and checkpoints hold them."""
        return self._asdict() | {"shape": list(self.shape)}

    @classmethod
    def from_plain(cls, values: Plain) -> Self:
        """The inverse of `to_plain`."""
        return cls(**values | {"shape": tuple(values["shape"])})

    def zeros(self, samples: int) -> torch.Tensor:
        """Inputs (samples, ...) of the data's shape and type that hold nothing."""
        return torch.from_numpy(np.zeros((samples, *self.shape), self.dtype))
