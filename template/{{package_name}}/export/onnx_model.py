"""The model as ONNX: written, run on the CPU, quantized to 8 bits."""

import contextlib
import io
import json
import logging
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..engine.trained import TrainedModel
from .program import ABOUT, Deployable, describe, zeros

CALIBRATE = 32  # samples at a time
RUNS = 15


class WithOutputs(nn.Module):
    """The predictions, and the model's outputs, which the metrics are made of."""

    def __init__(self, deployable: Deployable) -> None:
        super().__init__()
        self.deployable = deployable

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = self.deployable.model(inputs)
        return self.deployable.task.activate(outputs), outputs


class OnnxModel(nn.Module):
    """An ONNX model on the CPU, in place of one of PyTorch."""

    def __init__(self, content: bytes) -> None:
        import onnxruntime

        super().__init__()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors alone
        providers = ["CPUExecutionProvider"]
        self.session = onnxruntime.InferenceSession(content, options, providers=providers)
        self.size = len(content)  # bytes

    def run(self, name: str, inputs: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(self.session.run([name], {"inputs": inputs.numpy()})[0])

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.run("outputs", inputs)

    def predict(self, inputs: torch.Tensor) -> torch.Tensor:
        """What the task makes of the outputs."""
        return self.run("predictions", inputs)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide what exporters and quantizers print about their own parts."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def to_onnx(deployable: Deployable, trained: TrainedModel) -> bytes:
    """The content of a file, with batch norms folded into their convolutions."""
    from onnx import helper

    batch = torch.export.Dim("batch", min=1)
    with quiet(), torch.no_grad():
        program = torch.onnx.export(
            WithOutputs(deployable).eval(),
            (zeros(trained.info, 2),),
            dynamo=True,
            dynamic_shapes=({0: batch},),
            input_names=["inputs"],
            output_names=["predictions", "outputs"],
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    helper.set_model_props(model, {ABOUT: json.dumps(describe(trained))})
    return model.SerializeToString()


def quantize(content: bytes, inputs: np.ndarray) -> bytes:
    """The model in 8 bits, by the range of activations that these inputs (N, ...) have."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    batches = iter(np.array_split(inputs, -(-len(inputs) // CALIBRATE)))

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def get_next(self) -> dict[str, Any] | None:
            return next(({"inputs": batch} for batch in batches), None)

    with tempfile.TemporaryDirectory() as folder:
        given, ready, done = (Path(folder) / f"{n}.onnx" for n in ("given", "ready", "done"))
        given.write_bytes(content)
        with quiet():
            quant_pre_process(given, ready, skip_symbolic_shape=True)  # it fails for some models
            quantize_static(ready, done, Reader(), quant_format=QuantFormat.QDQ, per_channel=True)
        return done.read_bytes()


def seconds(model: OnnxModel, inputs: torch.Tensor) -> float:
    """The median time per sample."""
    took = []
    for _ in range(RUNS + 1):
        began = time.perf_counter()
        model.predict(inputs)
        took.append(time.perf_counter() - began)
    return statistics.median(took[1:]) / len(inputs)
