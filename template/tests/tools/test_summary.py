"""The summary's figures are those of a count by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import call
from torch import nn

from toy.tools.summary import Kept, Layer, SummaryConfig, layers_of, main, table


class Net(nn.Module):
    """A convolution, a product of matrices that no layer does, and two heads of one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())  # 6 x 6 pixels are left of 8 x 8
        self.head = nn.Linear(36, 5, bias=False)
        self.twin = nn.Linear(36, 5, bias=False)
        self.twin.weight = self.head.weight
        self.head.weight.requires_grad_(False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.body(images).flatten(2)  # (B, 8, 36)
        x = x @ x.transpose(1, 2) @ x  # (B, 8, 36)
        return self.head(x) + self.twin(x)  # (B, 8, 5)


def test_parameters_and_flops_are_those_of_a_count_by_hand() -> None:
    convolution, products, head = 2 * 27 * 8 * 36, 2 * (2 * 8 * 36 * 8), 2 * 36 * 5 * 8
    net = Net()
    found = {layer.name: layer for layer in layers_of(net, torch.randn(4, 3, 8, 8))}
    of_all = convolution + products + 2 * head
    assert found[""] == Layer("", "Net", [8, 5], 27 * 8 + 8 + 36 * 5, 27 * 8 + 8, of_all)
    assert found["body"] == Layer("body", "Sequential", [8, 6, 6], 224, 224, convolution)
    assert found["body.1"] == Layer("body.1", "ReLU", [8, 6, 6], 0, 0, 0)
    assert found["head"] == Layer("head", "Linear", [8, 5], 180, 0, head)
    assert net.training and not net._forward_hooks and not net.body._forward_hooks


def test_layers_are_shown_to_the_depth_asked_for() -> None:
    layers = layers_of(Net(), torch.randn(1, 3, 8, 8))
    shown = {depth: len(list(table(layers, depth))) - 1 for depth in (0, 1, 2)}
    assert shown == {0: 6, 1: 4, 2: 6}


def test_what_a_backward_pass_needs_counts_once_and_weights_do_not() -> None:
    layers = nn.ModuleList([nn.Linear(16, 16, bias=False) for _ in range(2)])
    inputs = torch.randn(8, 16)
    kept = Kept()
    with kept:
        first = layers[0](inputs)
        total = (first * layers[1](first)).sum()  # keeps inputs, first, and what the second gave
    assert total.requires_grad and kept.size(besides=layers) == 3 * 8 * 16 * 4


def test_the_memory_of_a_step_is_that_of_its_tensors(
    toy_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(size: int) -> dict[str, Any]:
        config = {"data_dir": toy_data, "device": "cpu", "ema_decay": 0.9}
        assert call(main, SummaryConfig(**config, batch_size=size, json=True)) == 0
        return json.loads(capsys.readouterr().out)

    one, two, three = map(found, (8, 16, 24))
    memory, weights = one["memory"], 4 * one["layers"][0]["parameters"]
    assert memory["weights"] == memory["averaged weights"] == memory["gradients"] == weights
    assert 2 * weights <= memory["optimizer"] < 2 * weights + 1000, "AdamW's two moments, and steps"
    kept = [each["memory"]["activations"] for each in (one, two, three)]
    assert kept[2] - kept[1] == kept[1] - kept[0] > 0, "so much for each sample"


def test_it_is_printed_as_a_table_and_as_json(
    toy_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config: dict[str, Any] = {"data_dir": toy_data, "device": "cpu", "batch_size": 8}
    assert call(main, SummaryConfig(**config, json=True, accumulate=2)) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == 4 and found["layers"][0]["parameters"] > 0
    assert call(main, SummaryConfig(**config)) == 0
    said = capsys.readouterr().out
    assert f"{found['layers'][0]['flops']:,} FLOPs" in said
    assert "memory of a step, 8 samples" in said
