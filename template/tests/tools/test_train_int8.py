"""A step computes in 8 bits and changes the exact weights; what is measured is what was rounded."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import CPU, call
from torch import nn

from toy.engine.trained import load_trained
from toy.tools.train_int8 import Int8Config, Rounding, main, round_input, rounded


def test_each_output_has_255_levels_of_its_own() -> None:
    torch.manual_seed(0)
    weight = torch.randn(4, 50, 3, 3) * torch.tensor([1e-3, 1.0, 50.0, 0.0]).view(-1, 1, 1, 1)
    found = rounded(weight)
    for exact, own in zip(weight, found, strict=True):
        levels = 127 * own / exact.abs().max().clamp(min=1e-12)
        assert torch.allclose(levels, levels.round(), atol=1e-3) and levels.abs().max() <= 127.001
        assert (own - exact).abs().max() <= exact.abs().max() / 127 / 2 + 1e-9
        assert own.unique().numel() > 100 or not exact.any()


def test_inputs_have_256_levels_and_zero_is_one_of_them() -> None:
    inputs = torch.linspace(-0.3, 1.7, 1000).requires_grad_()
    (found,) = round_input(nn.Identity(), (inputs,))
    assert found.unique().numel() == 256
    assert (found - inputs).abs().max() <= 2.0 / 255 and 0 in found
    found.sum().backward()
    assert inputs.grad is not None and inputs.grad[10:-10].eq(1).all()
    (same,) = round_input(nn.Identity(), (torch.zeros(3),))
    assert torch.equal(same, torch.zeros(3))


def test_the_gradient_is_that_at_rounded_weights_and_moves_the_exact_ones() -> None:
    torch.manual_seed(0)
    model, inputs = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2)), torch.randn(7, 6)
    exact = [p.detach().clone() for p in model.parameters()]
    reference = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2))
    reference.load_state_dict(
        {name: rounded(v) if v.ndim > 1 else v for name, v in model.state_dict().items()}
    )
    reference(inputs).square().sum().backward()
    wanted = [old - 0.1 * p.grad for old, p in zip(exact, reference.parameters(), strict=True)]
    optimizer, rounding = torch.optim.SGD(model.parameters(), lr=0.1), Rounding(model)
    optimizer.register_step_pre_hook(rounding.end)
    rounding.begin()
    model(inputs).square().sum().backward()
    optimizer.step()
    rounding.end()
    for parameter, value in zip(model.parameters(), wanted, strict=True):
        assert torch.allclose(parameter, value)
    before = model[0].weight.detach().clone()
    rounding.begin()
    assert not torch.equal(model[0].weight, before)
    rounding.end()  # of a step that the optimizer left out
    assert torch.equal(model[0].weight, before)


@pytest.mark.slow
def test_training_in_8_bits_gets_better_in_8_bits_and_leaves_exact_weights(
    finished_run: Path, toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config: dict[str, Any] = {"data_dir": toy_data, "device": "cpu", "batch_size": 8, "epochs": 4}
    config |= {"init_from": finished_run, "out": tmp_path / "a.pt"}
    assert call(main, Int8Config(**config, json=True)) == 0
    found = {k: v["loss"] for k, v in json.loads(capsys.readouterr().out)["models"].items()}
    exact, coarse = found["as it was"], found["as it was, in 8 bits"]
    assert exact != coarse == pytest.approx(exact, rel=0.2)
    assert found["trained, in 8 bits"] < coarse
    weight = load_trained(tmp_path / "a.pt", CPU).model.first.weight
    assert not torch.allclose(weight, rounded(weight), rtol=1e-4, atol=0)
    assert not load_trained(tmp_path / "a.pt", CPU).model.first._forward_pre_hooks
    assert call(main, Int8Config(**config)) == 0
    assert "export_onnx" in capsys.readouterr().out
