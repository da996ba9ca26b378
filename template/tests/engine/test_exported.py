"""An exported model is compared with the one that it was made from."""

import io

import torch
from torch import nn

from toy.engine.exported import largest_difference


def exported(factor: float) -> bytes:
    """A program that multiplies its inputs, any number of them, by a factor."""
    linear = nn.Linear(1, 1, bias=False)
    nn.init.constant_(linear.weight, factor)
    batch = torch.export.Dim("batch", min=1)
    example = torch.zeros(2, 1)
    with torch.no_grad():
        program = torch.export.export(linear, (example,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def test_a_difference_is_that_of_the_worst_sample_relative_to_large_outputs() -> None:
    model, program = nn.Identity(), exported(1.01)
    for inputs, expected in (([0.25, 0.5], 0.005), ([1000.0, -2.0], 0.01), ([0.0, 0.1], 0.001)):
        found = largest_difference(model, io.BytesIO(program), torch.tensor(inputs)[:, None])
        assert abs(found - expected) < 1e-5
