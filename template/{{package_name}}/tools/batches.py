"""One batch of any size, to measure with."""

import numpy as np
import torch

from ..data.dataset import Batch, first_samples
from ..engine.trainer import Trainer


def batch_of(trainer: Trainer, size: int) -> Batch:
    """The first `size` training samples, unchanged; some of them twice where there are fewer."""
    read = first_samples(trainer.reader, size)
    rows = np.resize(np.arange(len(read.inputs)), size)
    arrays = read.inputs[rows], read.targets[rows]
    inputs, targets = (torch.as_tensor(part).to(trainer.device) for part in arrays)
    return Batch(inputs, targets, torch.from_numpy(rows))
