"""What can be seen of a run with its checkpoint and its data."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch

from ..base.errors import UserError
from ..data.dataset import BatchDataset
from ..data.loader import make_loader
from ..data.samplers import EvalSampler
from ..data.subset import Samples, Subset
from ..engine.trained import Trained, load_trained, open_data
from .judge import Judged, judge


class Seen(NamedTuple):
    """The model of the best epoch, the validation data, and what the one says of the other."""

    trained: Trained
    reader: Samples
    judged: Judged | None  # of a classifier


def look(
    folder: Path,
    device: torch.device,
    *,
    data_dir: Path | None = None,
    batch_size: int | None = None,
    workers: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Seen:
    """Classify what the run was validated on, by the weights of `best.pt`.

    Raises CheckpointError and DataError where it cannot, UserError when `stopped` turns true.
    """
    trained = load_trained(folder, device)
    everything, count = open_data(trained, data_dir, "val"), trained.config.max_samples
    reader = everything if count is None else Subset(everything, count)
    sampler = EvalSampler(len(reader), batch_size or trained.config.batch_size)
    loader = make_loader(BatchDataset(reader), sampler, seed=0, workers=workers)
    judged = judge(trained, loader, device, stopped)
    if stopped():
        raise UserError("stopped by a signal")
    return Seen(trained, reader, judged)
