"""Initial weights by name are what their papers say, and the spread of activations is measured."""

import copy
import math

import pytest
import torch
from torch import nn

from toy.toolbox.initialization import HOW, begin, initialize_as, spreads


def net(depth: int = 6) -> nn.Module:
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(depth):
        layers += [nn.Linear(256, 256), nn.ReLU()]
    return nn.Sequential(nn.Conv2d(4, 16, 3, padding=1), nn.BatchNorm2d(16), nn.Flatten(), *layers)


INPUTS = torch.randn(64, 4, 4, 4, generator=torch.Generator().manual_seed(1))


def test_weights_have_the_variance_that_each_name_stands_for() -> None:
    model = net(1)
    linear = model[3]
    for name, deviation in (("kaiming", math.sqrt(2 / 256)), ("xavier", math.sqrt(2 / 512))):
        initialize_as(model, name)
        assert float(linear.weight.detach().std()) == pytest.approx(deviation, rel=0.02)
        assert not linear.bias.any()
    for name, factor in (("orthogonal", 2.0), ("lsuv", 1.0)):
        initialize_as(model, name)
        product = linear.weight @ linear.weight.T
        assert torch.allclose(product, factor * torch.eye(256), atol=1e-4)
    model = model.to(memory_format=torch.channels_last)
    for name in HOW:
        initialize_as(model, name)
        assert model[0].weight.is_contiguous(memory_format=torch.channels_last)
    initialize_as(model, "kaiming")
    assert float(model[0].weight.detach().std()) == pytest.approx(math.sqrt(2 / (4 * 9)), rel=0.1)


def test_spreads_are_those_of_the_outputs_and_nothing_of_the_model_changes() -> None:
    model = net(2).train()
    before = copy.deepcopy(model.state_dict())
    found = spreads(model, INPUTS)
    assert list(found) == ["0", "3", "5"]
    outputs = model[2](model[1](model[0](INPUTS)))
    assert found["3"] == pytest.approx(float(model[3](outputs).detach().std()))
    model.load_state_dict(before)
    spreads(model, INPUTS)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert not model[3]._forward_hooks


def test_lsuv_gives_each_layer_a_variance_of_one() -> None:
    model = net()
    for parameter in model.parameters():
        parameter.data *= 3
    initialize_as(model, "lsuv")
    begin(model, "lsuv", INPUTS)
    assert list(spreads(model, INPUTS).values()) == pytest.approx([1.0] * 7, rel=1e-4)


def test_the_widest_and_the_narrowest_layer_are_named_and_what_vanishes() -> None:
    model = net()
    initialize_as(model, "kaiming")
    (line,) = begin(model, "kaiming", INPUTS)
    found = spreads(model, INPUTS)
    low, high = min(found.values()), max(found.values())
    assert line.startswith(f"start   kaiming: activations spread from {low:.3g} (")
    assert f" to {high:.3g} (" in line
    model[5].weight.data *= 1e-6
    warnings = begin(model, "kaiming", INPUTS)[1:]
    assert warnings == ["warning: activations vanish or explode in 5, 7, 9"]
