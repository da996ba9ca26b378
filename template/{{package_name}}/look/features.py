"""What a layer of a trained model outputs for each sample, written to a file.

All of it is in memory before it is written.

    found = numpy.load("features.npz")
    found["features"], found["targets"], found["samples"]  # (N, ...), (N, ...), (N,)
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import torch
import tyro

from ..base import cli
from ..base.cli import Settings, require
from ..base.device import pick_device
from ..base.errors import FlagError
from ..data.loader import BatchDataset, EvalSampler, batches, make_loader
from ..data.reader import Reader
from ..engine.trained import TrainedModel, load_trained, open_data
from .capture import Captured, by_channel, capture, find_layer, weighted_layers


@dataclass(frozen=True)
class FeaturesConfig(Settings):
    """Write what a layer outputs for each sample of a split."""

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    layer: str | None = None
    """Name of a layer, as in named_modules; by default what goes into the last one with weights."""
    inputs: bool = False
    """Take what goes into the layer, instead of what comes out."""
    mean: bool = False
    """Average over all positions, such as the pixels of a feature map: one number per channel."""
    split: Literal["val", "test", "train"] = "val"
    """Part of the data."""
    data_dir: Path | None = None
    """Folder of the data; by default that of the run."""
    output: Path = Path("features.npz")
    """File to write."""
    batch_size: int = 64
    """Samples at a time."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "batch_size", self.batch_size >= 1, "at least 1")


def main() -> None:
    """Read, compute, write."""
    config = cli.parse(FeaturesConfig)
    trained = load_trained(config.checkpoint, pick_device(config.device))
    data = open_data(trained, config.data_dir, config.split)
    arrays = compute_features(trained, data, config)
    config.output.parent.mkdir(parents=True, exist_ok=True)
    with config.output.open("wb") as file:  # numpy would add .npz to another name
        np.savez(file, **arrays)  # type: ignore[arg-type]  # names of its own
    samples, *shape = arrays["features"].shape
    print(f"{config.output} has features of shape {tuple(shape)} for {samples:,} samples")


def compute_features(
    trained: TrainedModel, data: Reader, config: FeaturesConfig
) -> dict[str, np.ndarray]:
    """The features of all samples (N, ...), their targets (N, ...), and where they are (N,)."""
    sampler = EvalSampler(len(data), config.batch_size)
    loader = make_loader(BatchDataset(data), sampler, workers=0, device=trained.device)
    names = weighted_layers(trained.model) if config.layer is None else [config.layer]
    take_inputs = config.inputs or config.layer is None
    features: list[np.ndarray] = []
    with capture(trained.model, names) as found:
        for inputs, targets, _ in batches(loader, trained.device):
            trained.predict(inputs)
            # the last one that was called, if any was
            name, captured = [(config.layer or "", Captured()), *found.items()][-1]
            values = captured.inputs if take_inputs else captured.outputs
            if values is None or len(values) != len(targets):
                raise FlagError(f"the layer {name} has no tensor with a row for each sample")
            if config.mean:
                values = by_channel(values, find_layer(trained.model, name)).mean(1)
            features.append(values.to(torch.float32).cpu().numpy())
    where = np.array([data.where(index) for index in range(len(data))])
    return {"features": np.concatenate(features), "targets": data.targets, "samples": where}


if __name__ == "__main__":
    cli.run(main)
