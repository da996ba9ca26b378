"""A trained model and all that is needed to use it."""

from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from ..base.errors import DataError
from ..base.facts import Facts
from ..base.values import Plain, from_plain
from ..config import Config
from ..data.source import counted
from ..data.splits import open_split, place_of
from ..data.subset import Samples
from ..task import Task
from . import checkpoint
from .build import build
from .forward import forward


class Trained(NamedTuple):
    """What `train` leaves behind, ready for `evaluate`, `predict` and `export`."""

    model: nn.Module  # the averaged weights, where the run kept an average
    task: Task
    facts: Facts  # of the data that it was trained on
    config: Config  # of the training run

    @torch.no_grad()
    def answer(self, inputs: torch.Tensor) -> torch.Tensor:
        """What the task makes of the outputs for inputs (B, ...) as they are stored."""
        self.model.eval()
        return self.task.activate(forward(self.model, inputs))


def best_of(path: Path) -> Path:
    """The best checkpoint of a run's folder; a file is its own."""
    return path / "checkpoints" / "best.pt" if path.is_dir() else path


def weights_of(state: checkpoint.State) -> checkpoint.State:
    """The weights to use among what a checkpoint holds: the average, where the run kept one."""
    return state["model"] if state["average"] is None else state["average"]


def load_trained(path: Path, device: torch.device) -> Trained:
    """Read a checkpoint, the best one of a run's folder, or a .safetensors file of this project.

    Raises CheckpointError where it is damaged or of another model.
    """
    if path.suffix == ".safetensors":
        from .portable import from_safetensors

        return from_safetensors(path, device)
    path = best_of(path)
    state = checkpoint.load(path)
    with checkpoint.reading(path):
        return assembled(state, weights_of(state), path, device)


def assembled(known: Plain, weights: checkpoint.State, path: Path, device: torch.device) -> Trained:
    """The model of the `config` and the `facts` that a file knows, with the weights that it has."""
    config, facts = from_plain(Config, known["config"]), Facts.from_plain(known["facts"])
    model = build(config, facts, device, fresh=False)
    checkpoint.restore_model(model, weights, path)
    return Trained(model, Task(config, facts).to(device).eval(), facts, config)


def open_data(trained: Trained, data_dir: Path | None, split: str) -> Samples:
    """Open a split as the model was trained to see it; refuses data of other classes."""
    folder, facts = data_dir or Path(trained.config.data_dir), trained.facts
    shards = trained.config.shards
    reader = open_split(folder, split, facts.shape[:2], shards=shards)
    if reader.classes != facts.classes or tuple(reader.shape) != facts.shape:
        odd = sorted(set(reader.classes) ^ set(facts.classes))
        only = f"only one of them has {', '.join(odd[:5])}" if odd else "in another order, perhaps"
        raise DataError(
            f"{place_of(folder, split, shards=shards)} is not what the checkpoint was trained on: "
            f"it has {counted(reader.classes)} and the shape {tuple(reader.shape)}, the checkpoint "
            f"{counted(facts.classes)} and {facts.shape}; {only}"
        )
    if trained.config.skip_bad:
        from ..data.skipping import Skipping

        return Skipping(reader)
    return reader
