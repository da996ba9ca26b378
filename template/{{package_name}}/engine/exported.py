"""What `export` writes, and how it is used in place of the checkpoint that it was made from."""

import io
import json
import logging
import warnings
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from ..base.errors import CheckpointError, FlagError
from ..base.facts import Facts
from ..base.values import Plain, from_plain, to_plain
from ..config import Config
from ..task import Task
from . import checkpoint
from .trained import Trained

ABOUT = "about.json"  # the file within that says what the model is


class Deployable(nn.Module):
    """The model and what its task makes of the outputs: inputs as they are stored to answers."""

    def __init__(self, trained: Trained) -> None:
        super().__init__()
        # in torch's usual layout: torch.export.save warns of any other
        layout = torch.contiguous_format
        self.model = trained.model.to(memory_format=layout)  # type: ignore[call-overload]
        self.task = trained.task

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.task.activate(self.model(inputs))


def read_program(
    file: Path | io.BytesIO, extra_files: dict[str, str] | None = None
) -> torch.export.ExportedProgram:
    """Read what torch.export has saved."""
    with warnings.catch_warnings():
        # torch 2.11 makes tensors of bytes that it only reads
        warnings.filterwarnings("ignore", "The given buffer is not writable")
        return torch.export.load(file, extra_files=extra_files)


@torch.no_grad()
def largest_difference(model: nn.Module, exported: io.BytesIO, images: torch.Tensor) -> float:
    """The largest difference of an output on images (B, H, W, C), one by one and together.

    Of outputs beyond 1 it is relative: they may have any unit.
    """
    exported.seek(0)
    program = read_program(exported).module()
    worst = 0.0
    for part in (images[:1], images):
        wanted = model(part)
        error = (program(part) - wanted).abs() / wanted.abs().clamp(min=1)
        worst = max(worst, float(error.max()))
    return worst


class Exported(NamedTuple):
    """It answers as the `Trained` does that it was made from."""

    program: nn.Module
    task: Task  # which words the answers
    facts: Facts

    @torch.no_grad()
    def answer(self, inputs: torch.Tensor) -> torch.Tensor:
        """What the task makes of the outputs for inputs (B, ...) as they are stored."""
        return self.program(inputs)


def about(trained: Trained) -> Plain:
    """What to write into an exported file, beside the program."""
    facts = trained.facts
    return {
        "classes": facts.classes,
        "input": ["batch", *facts.shape],
        "facts": facts.to_plain(),
        "config": to_plain(trained.config),
    }


def load_exported(path: Path, device: torch.device) -> Exported:
    """Read what `export` wrote; raises CheckpointError where it did not, FlagError off the CPU."""
    if device.type != "cpu":
        raise FlagError(f"{path} was exported for the CPU: add --device cpu")
    if not path.is_file():
        raise CheckpointError(f"{path} cannot be read: No such file")
    files = {ABOUT: ""}
    logging.getLogger("torch.export").setLevel(logging.ERROR)  # a traceback of what is raised
    try:
        program = read_program(path, files)
        known = json.loads(files[ABOUT])
    except Exception as error:  # torch raises many kinds for what it does not accept
        raise CheckpointError(f"{path} is not a model that this project exported") from error
    with checkpoint.reading(path):
        config, facts = from_plain(Config, known["config"]), Facts.from_plain(known["facts"])
    return Exported(program.module(), Task(config, facts).eval(), facts)
