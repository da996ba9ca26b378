"""A trained model and all that is needed to use it: classes, image shape, normalisation."""

from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from . import checkpoint
from .config import Config, from_plain
from .data import Normalize
from .model import build_model


class Classifier(NamedTuple):
    """What `train` leaves behind, ready for `evaluate`, `predict` and `export`."""

    model: nn.Module  # the averaged weights, where the run kept an average
    normalize: Normalize
    classes: list[str]
    shape: tuple[int, int, int]  # H, W, C of the images that it expects
    config: Config  # of the training run


def load_classifier(path: Path, device: torch.device) -> Classifier:
    """Read a checkpoint; raises CheckpointError where it is damaged or of another model."""
    state = checkpoint.load(path)
    with checkpoint.reading(path):
        config, facts = from_plain(state["config"]), state["facts"]
        weights = state["average"] if state["average"] is not None else state["model"]
        height, width, channels = facts["shape"]
        normalize = Normalize(facts["mean"], facts["std"])
        model = build_model(
            (height, width, channels),
            len(facts["classes"]),
            width=config.width,
            blocks=config.blocks,
            dropout=config.dropout,
        )
        checkpoint.restore_model(model, weights, path)
    return Classifier(
        model.to(device),
        normalize.to(device),
        facts["classes"],
        (height, width, channels),
        config,
    )
