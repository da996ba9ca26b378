"""A run that compiles nothing starts without the compiler, and its optimizers are torch's own.

These tests are slow: `pytest -m slow` runs them.
"""

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import SMALL, command, execute
from torch import nn

from toy.engine.startup import skip_compiler

pytestmark = pytest.mark.slow


def test_a_run_starts_without_the_compiler(toy_data: Path, tmp_path: Path) -> None:
    line = command("train", "--data-dir", toy_data, "--run-dir", tmp_path / "run", *SMALL)
    said = execute([line[0], "-X", "importtime", *line[1:]])
    assert "torch.optim" in said and "torch._dynamo" not in said


def trained_by(kind: type[torch.optim.Optimizer], **options: Any) -> list[list[float]]:
    """Two weights after some steps, the second part of them from what the first saved."""
    torch.manual_seed(0)
    weights = [nn.Parameter(torch.randn(5, 3)) for _ in range(2)]
    state = None
    for _ in range(2):
        optimizer = kind(weights[:1], lr=0.1, **options)
        optimizer.add_param_group({"params": weights[1:], "lr": 0.05})
        if state is not None:
            optimizer.load_state_dict(state)
        for _ in range(3):
            optimizer.zero_grad()
            sum(weight.square().sum() for weight in weights).backward()
            optimizer.step()
        state = optimizer.state_dict()
    return [weight.flatten().tolist() for weight in weights]


def with_and_without_compiler() -> tuple[Any, Any]:
    kinds: tuple[tuple[type[torch.optim.Optimizer], dict[str, Any]], ...] = (
        (torch.optim.AdamW, {"weight_decay": 0.3, "fused": True}),
        (torch.optim.AdamW, {"weight_decay": 0.3, "foreach": True}),
        (torch.optim.SGD, {"momentum": 0.9}),
    )
    found = [trained_by(kind, **options) for kind, options in kinds]
    skip_compiler()
    return found, [trained_by(kind, **options) for kind, options in kinds]


def test_optimizers_do_the_same_without_it_to_the_bit() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:  # where nothing was skipped yet
        before, after = pool.apply(with_and_without_compiler)
    assert before == after
    assert len({str(weights) for weights in after}) == 3
