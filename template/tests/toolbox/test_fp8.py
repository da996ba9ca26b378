"""Products in 8 bits keep names and types, and are refused where they cannot be."""

import warnings

import pytest
import torch
from torch import nn

from toy.base.errors import FlagError
from toy.toolbox.fp8 import check_hardware, convert, fits


def net(width: int = 32) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 3))


@pytest.fixture
def torchao() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torchao.float8", exc_type=ImportError)


@pytest.mark.usefixtures("torchao")
def test_layers_of_fitting_sizes_round_to_8_bits_and_keep_their_names() -> None:
    plain, inputs = net(), torch.randn(64, 16)
    rounded = convert(net(), emulate=True)
    assert [fits(module) for module in plain] == [True, False, False]
    assert list(rounded.state_dict()) == list(plain.state_dict())
    assert type(rounded[0]) is not nn.Linear and type(rounded[2]) is nn.Linear
    assert all(value.dtype == torch.float32 for value in rounded.state_dict().values())
    error = (rounded(inputs) - plain(inputs)).norm() / plain(inputs).norm()
    assert 1e-3 < error.item() < 0.1  # three bits after the point
    rounded(inputs).square().sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in rounded.parameters())


@pytest.mark.usefixtures("torchao")
def test_a_model_without_such_a_layer_is_refused() -> None:
    with pytest.raises(FlagError, match="--fp8: no linear layer has sizes"):
        convert(net(width=30))


def test_a_device_without_8_bits_is_refused() -> None:
    with pytest.raises(FlagError, match="--fp8 needs a GPU of compute capability"):
        check_hardware(torch.device("cpu"))


@pytest.mark.gpu
@pytest.mark.usefixtures("torchao")
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_a_gpu_multiplies_in_8_bits() -> None:
    device = torch.device("cuda")
    try:
        check_hardware(device)
    except FlagError as reason:
        pytest.skip(str(reason))
    plain = net().to(device)
    rounded = convert(net().to(device))
    inputs = torch.randn(64, 16, device=device)
    error = (rounded(inputs) - plain(inputs)).norm() / plain(inputs).norm()
    assert 1e-3 < error.item() < 0.1
