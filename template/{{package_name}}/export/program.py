"""A program of torch.export: how it is made, and how it takes a checkpoint's place."""

import io
import json
import logging
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ..base.cli import from_dict, to_dict
from ..base.errors import CheckpointError, FlagError
from ..config import Config
from ..data.info import DatasetInfo
from ..engine.trained import TrainedModel
from ..task import Task

ABOUT = "about.json"  # the file within that says what the model is


class Deployable(nn.Module):
    """Inputs (B, ...) as they are stored to what the task makes of the model's outputs."""

    def __init__(self, trained: TrainedModel) -> None:
        super().__init__()
        # in torch's usual layout: torch.export.save warns of any other
        layout = torch.contiguous_format
        self.model = trained.model.to(memory_format=layout)  # type: ignore[call-overload]
        self.task = trained.task

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.task.activate(self.model(inputs))


def describe(trained: TrainedModel) -> dict[str, Any]:
    """What an exported file says about itself."""
    info = trained.info
    return {
        "classes": info.classes,
        "input": ["batch", *info.shape],
        "dataset": to_dict(info),
        "config": to_dict(trained.config),
    }


def zeros(info: DatasetInfo, samples: int) -> torch.Tensor:
    """Blank inputs (samples, ...)."""
    return torch.from_numpy(np.zeros((samples, *info.shape), info.dtype))


def to_program(deployable: Deployable, trained: TrainedModel) -> tuple[bytes, nn.Module]:
    """The content of a .pt2 file, and the module that it holds, read back."""
    batch = torch.export.Dim("batch", min=1)
    with torch.no_grad():
        program = torch.export.export(
            deployable, (zeros(trained.info, 2),), dynamic_shapes=({0: batch},)
        )
    file = io.BytesIO()  # torch itself aborts on a full disk
    torch.export.save(program, file, extra_files={ABOUT: json.dumps(describe(trained))})
    content = file.getvalue()
    return content, read_program(io.BytesIO(content)).module()


def read_program(
    file: Path | io.BytesIO, extra_files: dict[str, str] | None = None
) -> torch.export.ExportedProgram:
    """Read what torch.export has saved."""
    with warnings.catch_warnings():
        # torch makes tensors of bytes that it only reads
        warnings.filterwarnings("ignore", "The given buffer is not writable")
        return torch.export.load(file, extra_files=extra_files)


class ExportedModel(NamedTuple):
    """It predicts as the `TrainedModel` that it was made from."""

    program: nn.Module
    task: Task
    info: DatasetInfo
    device: torch.device

    @torch.no_grad()
    def predict(self, inputs: torch.Tensor) -> torch.Tensor:
        """What the task makes of the outputs for inputs (B, ...) as they are stored."""
        return self.program(inputs)


def load_program(path: Path, device: torch.device) -> ExportedModel:
    """Read what `export` wrote; raises CheckpointError, and FlagError unless on the CPU."""
    if device.type != "cpu":
        raise FlagError(f"{path} was exported for the CPU: add --device cpu")
    if not path.is_file():
        raise CheckpointError(f"{path} cannot be read: there is no such file")
    files = {ABOUT: ""}
    logging.getLogger("torch.export").setLevel(logging.ERROR)  # a traceback of what is raised
    try:
        program = read_program(path, files).module()
        about = json.loads(files[ABOUT])
        info = from_dict(DatasetInfo, about["dataset"])
        config = from_dict(Config, about["config"])
    except Exception as error:  # torch raises many kinds for what it does not accept
        raise CheckpointError(f"{path} is not a model that this project exported") from error
    return ExportedModel(program, Task(config, info).eval(), info, device)
