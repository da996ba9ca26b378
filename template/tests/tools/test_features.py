"""What passes through a layer is what a computation by hand gives, and a file has all of it."""

from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import CPU, call
from torch import nn

from toy.base.errors import FlagError
from toy.engine.trained import load_trained, open_data
from toy.tools.capture import by_channel, captured
from toy.tools.features import FeaturesConfig, main


class Twice(nn.Module):
    """Two layers, the first of which is called again behind the second."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.first(self.second(self.first(x).tanh()).tanh())


def test_the_last_call_of_a_layer_is_kept_with_its_gradient() -> None:
    model, inputs = Twice(), torch.randn(5, 3)
    with captured(model, ["second", "first"]) as found:
        model(inputs).square().sum().backward()
    assert list(found) == ["second", "first"], "as they were called last"
    given = model.second(model.first(inputs).tanh()).tanh()
    outputs = model.first(given)
    first = found["first"]
    assert first.inputs is not None and first.outputs is not None and first.gradient is not None
    assert torch.equal(first.inputs, given) and torch.equal(first.outputs, outputs)
    assert torch.allclose(first.gradient, 2 * outputs)
    assert not model.first._forward_hooks and not model.second._forward_hooks


def test_an_unknown_layer_is_refused_with_the_nearest() -> None:
    with pytest.raises(FlagError, match="no layer 'secnd'; did you mean second"):
        captured(Twice(), ["secnd"]).__enter__()


def test_channels_are_where_a_layer_has_them() -> None:
    maps, words, vectors = torch.randn(2, 3, 4, 5), torch.randn(2, 7, 3), torch.randn(2, 3)
    assert torch.equal(by_channel(maps, nn.Conv2d(3, 3, 1))[1, 6], maps[1, :, 1, 1])
    assert torch.equal(by_channel(words, nn.Linear(3, 3)), words)
    assert torch.equal(by_channel(words, nn.Conv1d(7, 7, 1))[1, 2], words[1, :, 2])
    assert torch.equal(by_channel(vectors, nn.Linear(3, 3)), vectors[:, None])


def test_a_file_has_what_a_layer_gives_for_each_sample(finished_run: Path, tmp_path: Path) -> None:
    trained = load_trained(finished_run, CPU)
    reader = open_data(trained, None, "val")
    every = np.arange(len(reader))
    inputs = torch.as_tensor(reader.read(every)).float() / 100
    model = trained.model.eval()
    with torch.no_grad():
        first = model.first(inputs)
        before = torch.relu(model.norm(first))
    for number, (layer, wanted) in enumerate({None: before, "first": first}.items()):
        path = tmp_path / "new" / f"{number}.npz"
        config = FeaturesConfig(finished_run, layer=layer, out=path, batch_size=5, device="cpu")
        assert call(main, config) == 0
        found = np.load(path)
        assert np.allclose(found["features"], wanted, atol=1e-2 if layer else 2e-2)
        assert np.array_equal(found["targets"], reader.targets[every])
        assert found["samples"].tolist() == [reader.where(number) for number in every.tolist()]
