"""Layers that are dead, and those in which numbers vanish or explode, are named; no others are."""

import json
from pathlib import Path

import pytest
import torch
from conftest import call
from torch import nn

from toy.config import Config
from toy.data.dataset import Batch
from toy.task import Task
from toy.tools.check_layers import LayersConfig, Seen, judge, look_at, main


def looked_at(*layers: nn.Module, spike: bool = False) -> dict[str, Seen]:
    """What is found of layers in a row, (B, 6) to (B, 2), with 40 samples in uneven batches."""
    model, task = nn.Sequential(*layers), Task(Config(), None)  # type: ignore[arg-type]
    task.eval()
    numbers = torch.arange(40)
    inputs, targets = torch.randn(40, 6).clamp(-1, 1), torch.randn(40, 2)
    inputs[3, 0] += 5 * spike
    columns = zip(*(part.split(16) for part in (inputs, targets, numbers)), strict=True)
    layers_seen = look_at(model, task, [Batch(*parts) for parts in columns])
    judge(layers_seen)
    gradients = {name: p.grad for name, p in model.named_parameters()}
    model.zero_grad()
    outputs = model(inputs)
    ((outputs - targets).square().sum() / 40).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and gradients[name] is not None
        assert torch.allclose(gradients[name] / 40, parameter.grad, rtol=1e-3, atol=1e-7)
    return {layer.name: layer for layer in layers_seen}


def test_a_sound_model_has_nothing_named_and_its_numbers_are_right() -> None:
    torch.manual_seed(0)
    first = nn.Linear(6, 8)
    found = looked_at(first, nn.Tanh(), nn.Linear(8, 2))
    assert not any(layer.words for layer in found.values()) and list(found) == ["0", "2"]
    assert (found["0"].channels, found["2"].channels) == (8, 2)
    assert first.weight.grad is not None and first.bias.grad is not None
    own = torch.cat([first.weight.grad.flatten(), first.bias.grad])
    assert found["0"].gradient == pytest.approx(float(own.square().mean().sqrt()), rel=1e-4)


def test_dead_channels_are_counted_and_a_dead_layer_is_named() -> None:
    some, all_of_it = nn.Linear(6, 8), nn.Linear(6, 8)
    with torch.no_grad():
        some.bias[:3] = -1000
        all_of_it.bias.fill_(-1000)
    assert looked_at(some, nn.ReLU(), nn.Linear(8, 2))["0"].words == "3 of 8 channels are dead"
    found = looked_at(all_of_it, nn.ReLU(), nn.Linear(8, 2))
    assert found["0"].words == "dead: no gradient flows back through it"
    assert "dead" not in found["2"].words


def test_a_channel_that_one_sample_needs_is_not_dead() -> None:
    layer = nn.Linear(6, 4)
    with torch.no_grad():
        layer.weight.zero_()
        layer.weight[0, 0] = 1.0
        layer.bias.copy_(torch.tensor([-2.0, 1.0, 1.0, 1.0]))
    found = looked_at(layer, nn.ReLU(), nn.Linear(4, 2), spike=True)
    assert not found["0"].dead


def test_what_vanishes_and_explodes_is_named() -> None:
    def named(factor: float) -> str:
        layer = nn.Linear(8, 8)
        with torch.no_grad():
            layer.weight.mul_(factor)
            layer.bias.mul_(factor)
        return looked_at(nn.Linear(6, 8), nn.Tanh(), layer, nn.Linear(8, 2))["2"].words

    assert named(1) == ""
    assert named(1e-5).startswith("its outputs vanish")
    assert named(1e5).startswith("its outputs explode")


def test_a_gradient_far_from_the_others_is_named() -> None:
    layers = [Seen(str(n), "Linear", 4, 0, 1.0, 1.0) for n in range(5)]
    layers[1].gradient, layers[3].gradient, layers[4].spread = 1e-6, 1e6, float("inf")
    judge(layers)
    assert [layer.words for layer in layers] == [
        "",
        "its gradient vanishes",
        "",
        "its gradient explodes",
        "its numbers are not finite",
    ]


def test_it_is_printed_as_a_table_and_as_json(
    finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(main, LayersConfig(finished_run, device="cpu", json=True)) == 0
    layers = json.loads(capsys.readouterr().out)["layers"]
    assert [layer["name"] for layer in layers] == ["first", "norm", "head"]
    assert call(main, LayersConfig(finished_run, device="cpu", samples=3, batch_size=2)) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 5 and said[1].startswith("first Linear")
