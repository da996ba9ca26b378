"""Layers that are dead, or whose values vanish or explode.

A channel is dead if no gradient flows back through it, for any sample: its output does not matter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import torch
import tyro
from torch import nn

from ..base import cli
from ..base.cli import Settings, require
from ..base.device import pick_device
from ..data.loader import Batch, BatchDataset, EvalSampler, Subset, batches, make_loader
from ..engine.trained import load_trained, open_data
from ..task import Task
from .capture import by_channel, capture, find_layer, weighted_layers

FAR = 1e4  # times the median gradient, beyond which a layer is named
NARROW, WIDE = 1e-3, 1e3  # standard deviations of outputs below and above which it is


@dataclass(frozen=True)
class LayersConfig(Settings):
    """Look for dead layers, and for values that vanish or explode."""

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    samples: int = 512
    """Training samples to look at."""
    data_dir: Path | None = None
    """Folder of the data; by default that of the run."""
    batch_size: int = 64
    """Samples at a time."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "samples", self.samples >= 1, "at least 1")
        require(self, "batch_size", self.batch_size >= 1, "at least 1")


@dataclass
class Layer:
    """What was found over all samples."""

    name: str
    channels: int = 0
    dead: int = 0  # channels of these
    spread: float = math.nan  # the standard deviation of all outputs
    gradient: float = 0.0  # the root mean square over its weights, of the mean loss
    problem: str = ""


def inspect_layers(model: nn.Module, task: Task, data: Sequence[Batch]) -> list[Layer]:
    """Send batches through the model and back, in float32."""
    names = weighted_layers(model)
    layers = {name: Layer(name) for name in names}
    sums = {name: torch.zeros(3, dtype=torch.float64) for name in names}  # of 1, x and x^2
    largest: dict[str, torch.Tensor] = {}  # gradient of each channel
    samples = sum(len(batch.targets) for batch in data)
    for batch in data:
        with capture(model, names) as found:
            task.loss(model(batch.inputs), batch.targets).backward()
        for name, captured in found.items():
            if captured.outputs is None:
                continue
            values = captured.outputs.double()
            powers = (values.new_tensor(values.numel()), values.sum(), values.square().sum())
            sums[name] += torch.stack(powers).cpu()
            if captured.gradient is not None:
                highest = by_channel(captured.gradient, find_layer(model, name)).abs().amax((0, 1))
                largest[name] = torch.maximum(largest.get(name, highest), highest)
    for name, layer in layers.items():
        count, total, squares = sums[name].tolist()
        if count:
            layer.spread = math.sqrt(max(squares / count - (total / count) ** 2, 0.0))
        if name in largest:
            layer.channels, layer.dead = len(largest[name]), int((largest[name] == 0).sum())
        own = find_layer(model, name)._parameters.values()
        gradients = [p.grad.flatten() for p in own if p is not None and p.grad is not None]
        if gradients:
            layer.gradient = float(torch.cat(gradients).double().square().mean().sqrt()) / samples
    return [layer for layer in layers.values() if not math.isnan(layer.spread) or layer.channels]


def find_problems(layers: list[Layer]) -> None:
    """Set what is wrong with each layer, if anything is."""
    usual = median([layer.gradient for layer in layers if layer.gradient > 0] or [0.0])
    for layer in layers:
        found = []
        if not math.isfinite(layer.spread + layer.gradient):
            found.append("its values are not finite")
        elif layer.channels and layer.dead == layer.channels:
            found.append("dead: no gradient flows back through it")
        else:
            if layer.dead:
                found.append(f"{layer.dead} of {layer.channels} channels are dead")
            if not NARROW <= layer.spread <= WIDE:
                found.append("its outputs " + ("vanish" if layer.spread < NARROW else "explode"))
            if layer.gradient and not usual / FAR <= layer.gradient <= usual * FAR:
                verb = "vanishes" if layer.gradient < usual else "explodes"
                found.append(f"its gradient {verb}")
        layer.problem = "; ".join(found)


def main() -> int:
    """Load, inspect, print; returns 1 if a layer is dead or has values that are not finite."""
    config = cli.parse(LayersConfig)
    trained = load_trained(config.checkpoint, pick_device(config.device))
    data = Subset(open_data(trained, config.data_dir, "train"), config.samples)
    sampler = EvalSampler(len(data), config.batch_size)
    loader = make_loader(BatchDataset(data), sampler, workers=0, device=trained.device)
    layers = inspect_layers(trained.model, trained.task, list(batches(loader, trained.device)))
    find_problems(layers)
    width = max(len(layer.name) for layer in layers)
    print(f"{'layer':<{width}} channels   dead    spread  gradient")
    for layer in layers:
        sizes = f"{layer.spread:>9.2e} {layer.gradient:>9.2e}"
        line = f"{layer.name:<{width}} {layer.channels:>8} {layer.dead:>6} {sizes}  {layer.problem}"
        print(line.rstrip())
    named = sum(bool(layer.problem) for layer in layers)
    print(f"{named} of {len(layers)} layers need a look" if named else "no layer stands out")
    return int(any("dead:" in layer.problem or "finite" in layer.problem for layer in layers))


if __name__ == "__main__":
    cli.run(main)
