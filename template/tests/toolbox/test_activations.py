"""Activations that are computed again or overwritten take less memory, and change no number."""

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from toy.toolbox.activations import overwrite, recompute


class Block(nn.Module):
    """A layer that keeps much: a norm with statistics, a dropout, an activation function."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.3)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(x)


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Sequential(Block(), Block(), Block()), nn.Flatten(), nn.Linear(256, 2))


def step(model: nn.Module) -> tuple[dict[str, torch.Tensor], int]:
    """One training pass; returns gradients and buffers by name, and the bytes that were kept."""
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.data_ptr()] = tensor.nbytes
        return tensor

    torch.manual_seed(1)
    inputs = torch.randn(8, 4, 8, 8)
    torch.manual_seed(2)
    with saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = model(inputs).square().sum()
    loss.backward()
    found = {name: p.grad for name, p in model.named_parameters()} | dict(model.named_buffers())
    return {name: value.clone() for name, value in found.items()}, sum(kept.values())


@pytest.mark.parametrize(("save", "share"), [(recompute, 0.5), (overwrite, 1.0)])
def test_a_step_has_the_same_bits_and_keeps_less(save: Any, share: float) -> None:
    plain, saving = net(), net()
    save(saving)
    (expected, before), (found, after) = step(plain), step(saving)
    assert found.keys() == expected.keys() and "0.0.inner.1.running_mean" in found
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert after < before * share if share < 1 else after <= before


def test_a_norm_counts_each_batch_once() -> None:
    model = net()
    recompute(model)
    statistics = model[0][0].inner[1].running_mean
    for _ in range(3):
        step(model)
    assert int(model[0][0].inner[1].num_batches_tracked) == 3
    assert model[0][0].inner[1].running_mean is statistics, "the one that a checkpoint has"


def test_a_copy_computes_with_its_own_weights() -> None:
    model = net()
    recompute(model)
    average = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    inputs = torch.randn(2, 4, 8, 8)
    average.eval()
    plain = net().eval()
    plain.load_state_dict(average.state_dict())
    assert torch.equal(average(inputs), plain(inputs)) and average(inputs).any()


def test_only_functions_that_can_overwrite_do() -> None:
    model = net()
    overwrite(model)
    found = [name for name, m in model.named_modules() if getattr(m, "inplace", False)]
    assert found == [f"0.{block}.inner.{layer}" for block in range(3) for layer in (2, 3)]
