"""Compare an exported model with the checkpoint that it was made from."""

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import torch
from torch import nn

from ..base.errors import UserError
from ..data.loader import BatchDataset, EvalSampler, Subset, make_loader
from ..engine.trained import TrainedModel
from ..engine.trainer import ModelWithLoss, evaluate

BATCH = 64


@torch.no_grad()
def largest_difference(
    model: nn.Module, exported: Callable[[torch.Tensor], torch.Tensor], inputs: torch.Tensor
) -> float:
    """The largest difference of a prediction on inputs (N, ...), in batches of 1, 64 and the rest.

    It is relative for predictions beyond 1, which may have any unit; NaN if either gives NaN.
    """
    worst = torch.zeros(())
    for batch in (inputs[:1], *inputs.split(BATCH)):
        expected = model(batch)
        error = (exported(batch) - expected).abs() / expected.abs().clamp(min=1)
        worst = torch.maximum(worst, error.max())
    return float(worst)


def measure(model: nn.Module, trained: TrainedModel, data: Subset) -> dict[str, float]:
    """The metrics of a model in float32, as `evaluate` counts them."""
    loader = make_loader(
        BatchDataset(data), EvalSampler(len(data), BATCH), workers=0, device=trained.device
    )
    module, config = ModelWithLoss(model, trained.task), replace(trained.config, amp="off")
    return evaluate(module, loader, config, trained.device)


def require_packages(*names: str) -> None:
    """Raise UserError for a package that is not installed."""
    for name in names:
        if find_spec(name) is None:
            raise UserError(f"this needs {name}: pip install -e '.[export]'")
