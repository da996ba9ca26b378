"""The model in ONNX answers as the checkpoint does, and what is printed of it is true."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import CPU, call
from torch import nn

from toy.base.errors import CheckpointError, FlagError
from toy.base.facts import Facts
from toy.config import Config
from toy.engine.exported import ABOUT, Deployable
from toy.engine.trained import Trained, load_trained, open_data
from toy.task import Task
from toy.tools import export_onnx
from toy.tools.export_onnx import OnnxConfig, exported, main
from toy.tools.onnx_models import session_of

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")
pytestmark = pytest.mark.slow  # the exporter takes seconds to import


def answered(content: bytes, inputs: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """The answers and outputs of a model in ONNX."""
    return session_of(content).run(["answers", "outputs"], {"inputs": inputs.numpy()})


def test_a_file_answers_as_its_checkpoint_and_says_what_it_is(
    finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.onnx"
    assert call(main, OnnxConfig(finished_run, output=path, json=True)) == 0
    trained = load_trained(finished_run, CPU)
    reader = open_data(trained, None, "val")
    inputs = torch.as_tensor(reader.read(np.arange(len(reader))))
    for size in (1, 5, len(inputs)):
        answers, _ = answered(path.read_bytes(), inputs[:size])
        expected = Deployable(trained).eval()(inputs[:size]).detach().numpy()
        assert np.allclose(answers, expected, rtol=0, atol=1e-5)
    said = json.loads(capsys.readouterr().out)
    assert said["output"] == str(path) and len(said["models"]) == 2
    assert said["models"][1]["bytes"] == path.stat().st_size
    (known,) = (p.value for p in onnx.load(path).metadata_props if p.key == ABOUT)
    assert json.loads(known)["input"] == ["batch", *reader.shape]


@pytest.mark.parametrize("int8", ["dynamic", "static"])
def test_what_is_said_of_a_quantized_model_is_that_of_its_file(
    finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], int8: Any
) -> None:
    path = tmp_path / "a.onnx"
    assert call(main, OnnxConfig(finished_run, output=path, int8=int8, json=True)) == 0
    *_, whole, row = json.loads(capsys.readouterr().out)["models"]
    trained = load_trained(finished_run, CPU)
    reader = open_data(trained, None, "val")
    every = np.arange(len(reader))
    inputs, targets = map(torch.as_tensor, (reader.read(every), reader.targets[every]))
    # a range that is measured in each run depends on the batch
    batches = inputs.split(trained.config.batch_size)
    outputs = np.concatenate([answered(path.read_bytes(), batch)[1] for batch in batches])
    loss = float(trained.task.loss(torch.from_numpy(outputs), targets)) / len(every)
    assert row["metrics"]["loss"] == pytest.approx(loss, rel=1e-5)
    assert row["metrics"]["loss"] != whole["metrics"]["loss"]
    assert row["bytes"] == path.stat().st_size
    assert row["largest_difference"] > whole["largest_difference"]


def test_batch_norms_are_in_their_convolutions() -> None:
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten())
    with torch.no_grad():
        for _ in range(3):
            net(torch.randn(8, 3, 5, 5) * 3 + 1)  # so that the statistics are no longer 0 and 1

    class OfBytes(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return self.net(images.permute(0, 3, 1, 2) / 255)

    facts = Facts([], (5, 5, 3), "uint8", 48, [], [], "", {})
    trained = Trained(OfBytes(), Task(Config(), facts), facts, Config())
    model = exported(Deployable(trained).eval(), trained)
    assert "BatchNormalization" not in {node.op_type for node in model.graph.node}
    images = torch.randint(0, 256, (7, 5, 5, 3), dtype=torch.uint8)
    _, outputs = answered(model.SerializeToString(), images)
    with torch.no_grad():
        assert np.allclose(outputs, trained.model.eval()(images), atol=1e-5)


def test_a_model_that_came_out_wrong_is_not_written(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.onnx"

    def wrong(deployable: Deployable, trained: Trained) -> Any:
        with torch.no_grad():
            for weight in deployable.parameters():
                weight.mul_(1.01)
        model = exported(deployable, trained)
        with torch.no_grad():
            for weight in deployable.parameters():
                weight.div_(1.01)
        return model

    monkeypatch.setattr(export_onnx, "exported", wrong)
    with pytest.raises(CheckpointError, match=r"differs from .* it was not written"):
        call(main, OnnxConfig(finished_run, output=path))
    assert not path.exists()
    best = finished_run / "checkpoints" / "best.pt"
    with pytest.raises(FlagError, match="is the checkpoint itself"):
        call(main, OnnxConfig(best, output=best))
