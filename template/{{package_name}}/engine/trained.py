"""A trained model and what is needed to use it."""

from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from ..base.cli import from_dict
from ..config import Config
from ..data.info import DatasetInfo, open_split
from ..data.reader import Reader
from ..model import build_model
from ..task import Task
from . import checkpoint
from .trainer import ModelWithLoss, autocast


class TrainedModel(NamedTuple):
    """What a checkpoint holds, in evaluation mode."""

    module: ModelWithLoss
    model: nn.Module  # with the averaged weights, if the run kept an average
    task: Task
    info: DatasetInfo  # of the training data
    config: Config  # of the run
    device: torch.device

    @torch.no_grad()
    def predict(self, inputs: torch.Tensor) -> torch.Tensor:
        """What the task makes of the outputs for inputs (B, ...) as they are stored."""
        with autocast(self.config, self.device):
            outputs = self.model(inputs.to(self.device))
        return self.task.activate(outputs)


def load_trained(path: Path, device: torch.device | str = "cpu") -> TrainedModel:
    """Read a checkpoint, or the best one of a run's folder.

    Raises CheckpointError if it is missing, corrupt, or of another model.
    """
    path = path / "checkpoints" / "best.pt" if path.is_dir() else path
    state = checkpoint.load(path)
    config, info = from_dict(Config, state["config"]), from_dict(DatasetInfo, state["dataset"])
    module = ModelWithLoss(build_model(config, info), Task(config, info)).eval().to(device)
    checkpoint.load_weights(module.model, state["ema"] or state["model"])
    checkpoint.load_weights(module.task, state["ema_task"] or state["task"])
    return TrainedModel(module, module.model, module.task, info, config, torch.device(device))


def open_data(trained: TrainedModel, data_dir: Path | None, split: str) -> Reader:
    """Open a split as the model was trained to see it."""
    return open_split((data_dir or trained.config.data_dir) / split, trained.info)
