"""Matrix products in 8 bits, where the hardware has them, by torchao's float8 training.

Micikevicius et al.: FP8 Formats for Deep Learning, 2022. Weights, checkpoints and all other layers
keep their precision: each product rounds its inputs, scaled to the largest value in them.
"""

import torch
from torch import nn

from ..base.errors import FlagError

MULTIPLE = 16  # which the kernels ask of both sizes of a layer
SINCE = (8, 9)  # compute capability: Ada, Hopper and later


def check_hardware(device: torch.device) -> None:
    """Raise FlagError where the device has no products in 8 bits."""
    if device.type != "cuda" or torch.cuda.get_device_capability(device) < SINCE:
        raise FlagError(
            f"--fp8 needs a GPU of compute capability 8.9 or more, which {device} is not"
        )


def convert(model: nn.Module, *, emulate: bool = False) -> nn.Module:
    """Let the linear layers of fitting sizes multiply in 8 bits; raises FlagError for none.

    `emulate` computes the same numbers in higher precision, on any device.
    """
    try:
        from torchao.float8 import Float8LinearConfig, convert_to_float8_training
    except ImportError as error:
        raise FlagError("--fp8 needs torchao: pip install torchao") from error
    if not any(fits(module) for module in model.modules()):
        raise FlagError(f"--fp8: no linear layer has sizes that are multiples of {MULTIPLE}")
    return convert_to_float8_training(
        model,
        config=Float8LinearConfig(emulate=emulate),
        module_filter_fn=lambda module, _: fits(module),
    )


def fits(module: nn.Module) -> bool:
    """Whether the kernels can do this layer."""
    if not isinstance(module, nn.Linear):
        return False
    return module.in_features % MULTIPLE == 0 and module.out_features % MULTIPLE == 0
