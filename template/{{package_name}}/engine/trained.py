"""A trained model and what is needed to use it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from ..base.cli import from_dict
from ..base.errors import CheckpointError, DataError
from ..config import Config
from ..data.info import DatasetInfo
from ..data.reader import Reader
from ..model import build_model
from ..task import Task
from . import checkpoint
from .trainer import ModelWithLoss, autocast

KEYS = {"model", "task", "ema", "ema_task", "config", "dataset"}  # of a checkpoint


def move(module: nn.Module, device: torch.device) -> nn.Module:
    """Move a module to the device, in the memory layout that images have."""
    return module.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]


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


def load_trained(
    path: Path,
    device: torch.device,
    place: Callable[[Any, torch.device], Any] = move,
) -> TrainedModel:
    """Read a checkpoint, or the best one of a run's folder.

    Raises CheckpointError if it is missing, corrupt, or of another model.
    """
    path = path / "checkpoints" / "best.pt" if path.is_dir() else path
    state = checkpoint.load(path)
    if missing := KEYS.difference(state):
        raise CheckpointError(f"{path} is not a checkpoint: it has no {min(missing)}")
    config, info = from_dict(Config, state["config"]), from_dict(DatasetInfo, state["dataset"])
    module = place(ModelWithLoss(build_model(config, info), Task(config, info)).eval(), device)
    checkpoint.load_weights(module.model, state["ema"] or state["model"])
    checkpoint.load_weights(module.task, state["ema_task"] or state["task"])
    return TrainedModel(module, module.model, module.task, info, config, device)


def open_data(trained: TrainedModel, data_dir: Path | None, split: str) -> Reader:
    """Open a split as the model was trained to see it; refuses data of other classes."""
    folder, info = data_dir or trained.config.data_dir, trained.info
    data = Reader(folder / split, info.shape[:2])
    if data.classes != info.classes or tuple(data.shape) != info.shape:
        odd = sorted(set(data.classes) ^ set(info.classes))[:5]
        raise DataError(
            f"{folder} differs from the data that the checkpoint was trained on: samples of "
            f"{tuple(data.shape)}, not {info.shape}; classes that only one has: {odd}"
        )
    return data
