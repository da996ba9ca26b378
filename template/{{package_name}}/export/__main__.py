"""Write a deployable model.

Each format takes inputs as they are stored, as images (B, H, W, C) uint8 with any B, and gives what
`Task.activate` makes of the model's outputs. None needs this project's code to run:

    program = torch.export.load("best.pt2").module()
    predictions = program(inputs)

    session = onnxruntime.InferenceSession("best.onnx")
    (predictions,) = session.run(["predictions"], {"inputs": inputs})
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import tyro

from ..base import cli, distributed
from ..base.cli import Settings, require
from ..base.errors import CheckpointError, DataError, FlagError
from ..base.files import write_atomic
from ..data.loader import Subset
from ..engine.trained import TrainedModel, load_trained, open_data
from . import onnx_model, weights
from .check import largest_difference, measure, require_packages
from .program import Deployable, to_program

TOLERANCE = {"pt2": 1e-5, "onnx": 1e-4}  # of a prediction, between the checkpoint and the file
CALIBRATION = 256  # training samples that --int8 measures the range of activations on


@dataclass(frozen=True)
class ExportConfig(Settings):
    """Write a model that runs without this project's code, after a check against the checkpoint.

    By default it is a program of torch.export (.pt2).
    """

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; or a checkpoint file."""
    onnx: bool = False
    """Write ONNX, for other runtimes than PyTorch."""
    int8: bool = False
    """Write ONNX that computes in 8 bits, calibrated on training samples; prints what it costs."""
    safetensors: bool = False
    """Write a folder with the weights and a model card, for the Hugging Face Hub."""
    output: Path | None = None
    """File to write, or folder with --safetensors; by default best.pt2, best.onnx, best-int8.onnx
    or best-safetensors/ beside best.pt."""
    data_dir: Path | None = None
    """Folder of the data to check on; by default that of the run."""
    samples: int = 1000
    """Validation samples to check on, evenly spread."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "samples", self.samples >= 2, "at least 2")
        if self.safetensors and (self.onnx or self.int8):
            raise FlagError("--safetensors writes weights alone: leave out --onnx and --int8")


def main() -> None:
    """Load, export, check, and only then put the file in its place."""
    config = cli.parse(ExportConfig)
    if distributed.WORLD_SIZE > 1:
        raise FlagError("export works in one process: run it without torchrun")
    path = config.checkpoint
    path = path / "checkpoints" / "best.pt" if path.is_dir() else path
    ending = {"safetensors": "-safetensors", "int8": "-int8.onnx", "onnx": ".onnx"}
    chosen = next((end for name, end in ending.items() if getattr(config, name)), ".pt2")
    output = config.output or path.with_name(path.stem + chosen)
    if output.resolve() == path.resolve():
        raise FlagError(f"--output {output} is the checkpoint itself: choose another name")
    with distributed.process_group("cpu") as device:
        trained = load_trained(path, device)
        data = open_val(trained, config)
        if config.safetensors:
            line = export_weights(trained, data, output)
        elif config.onnx or config.int8:
            line = export_onnx(trained, data, output, config)
        else:
            line = export_program(trained, data, output)
    print(f"{output}: {line}")


def open_val(trained: TrainedModel, config: ExportConfig) -> Subset | None:
    """The validation samples to check on; None, said in a line, if the run's data is not there."""
    try:
        return Subset(open_data(trained, config.data_dir, "val"), config.samples)
    except DataError as error:
        if config.data_dir:
            raise
        print(f"checked on noise, since the data cannot be read: {error}")
        return None


def read_inputs(trained: TrainedModel, data: Subset | None) -> torch.Tensor:
    """All of the samples (N, ...) as they are stored, or noise of their shape."""
    if data is not None:
        return torch.from_numpy(data.read(np.arange(len(data))))
    noise = np.random.default_rng(0).integers(0, 256, (65, *trained.info.shape))
    return torch.from_numpy(noise.astype(trained.info.dtype))


def refuse_other(difference: float, kind: str) -> None:
    """Raise CheckpointError if a file's predictions are not the checkpoint's."""
    if not difference <= TOLERANCE[kind]:
        raise CheckpointError(
            f"the exported model differs from the checkpoint by {difference:.1e} in a prediction, "
            f"more than {TOLERANCE[kind]:.0e}: it was not written"
        )


def export_program(trained: TrainedModel, data: Subset | None, output: Path) -> str:
    """Write a program of torch.export; returns what was found."""
    deployable, inputs = Deployable(trained).eval(), read_inputs(trained, data)
    content, program = to_program(deployable, trained)
    difference = largest_difference(deployable, program, inputs)
    refuse_other(difference, "pt2")
    write(output, content)
    return f"checked on {len(inputs):,} samples, largest difference {difference:.1e}"


def export_onnx(
    trained: TrainedModel, data: Subset | None, output: Path, config: ExportConfig
) -> str:
    """Write ONNX; returns what was found, with --int8 how it compares."""
    require_packages("onnx", "onnxruntime", "onnxscript")
    deployable, inputs = Deployable(trained).eval(), read_inputs(trained, data)
    content = onnx_model.to_onnx(deployable, trained)
    model = onnx_model.OnnxModel(content)
    difference = largest_difference(deployable, model.predict, inputs)
    refuse_other(difference, "onnx")
    lines = [f"checked on {len(inputs):,} samples, largest difference {difference:.1e}"]
    if config.int8:
        samples = Subset(open_data(trained, config.data_dir, "train"), CALIBRATION)
        content = onnx_model.quantize(content, samples.read(np.arange(len(samples))))
        whole, model = model, onnx_model.OnnxModel(content)
        difference = largest_difference(deployable, model.predict, inputs)
        lines = [f"8 bits, largest difference {difference:.1e} on {len(inputs):,} samples"]
        for name, each in {"float32": whole, "8 bits": model}.items():
            speed = f"{onnx_model.seconds(each, inputs[:64]) * 1e3:.3f} ms per sample"
            found = {} if data is None else measure(each, trained, data)
            metrics = "".join(f" · {metric} {value:.4f}" for metric, value in found.items())
            lines.append(f"{name}: {each.size / 1e6:.2f} MB · {speed}{metrics}")
    write(output, content)
    return "\n  ".join(lines)


def export_weights(trained: TrainedModel, data: Subset | None, output: Path) -> str:
    """Write weights and a model card, which is left alone if there is one."""
    require_packages("safetensors")
    content = weights.to_safetensors(trained)
    loaded = weights.from_safetensors(content, trained.device)
    inputs = read_inputs(trained, data)
    if not torch.equal(loaded.predict(inputs[:64]), trained.predict(inputs[:64])):
        raise CheckpointError("the weights that were read back differ: they were not written")
    found = {} if data is None else measure(loaded.model, loaded, data)
    write(output / weights.NAME, content)
    readme = output / "README.md"
    if readme.exists():
        return f"{weights.NAME}; README.md was there and stays as it was"
    card = weights.model_card(loaded, found, 0 if data is None else len(data))
    write(readme, card.encode())
    metrics = "".join(f" · {name} {value:.4f}" for name, value in found.items())
    return f"{weights.NAME}, and README.md, its model card{metrics}"


def write(path: Path, content: bytes) -> None:
    """Write a file, and the folder that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, content)


if __name__ == "__main__":
    cli.run(main)
