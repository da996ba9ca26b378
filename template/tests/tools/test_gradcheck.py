"""Backward passes of one's own functions are compared with numeric derivatives."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TOY

from toy.tools.gradcheck import GradcheckConfig, main

OWN = """
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return FACTOR * x * grad

    @staticmethod
    def example():
        return (torch.randn(3, dtype=torch.float64, requires_grad=True),)


class Unknown(torch.autograd.Function):
    pass


class Fixed(torch.autograd.Function):
    @staticmethod
    def example():
        return (torch.ones(3),)
"""


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module of functions at the top of the package."""
    # one that is written twice in a second, with as many letters, would be taken for its first text
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = TOY / "toy" / "own.py"
    yield path
    path.unlink()
    sys.modules.pop("toy.own", None)


def test_a_right_function_is_told_from_a_wrong_one(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    square = OWN.partition("class Unknown")[0]
    for factor, code, said in ((2, 0, "its backward pass is right"), (3, 1, "Jacobian mismatch")):
        own.write_text(square.replace("FACTOR", str(factor)), encoding="utf-8")
        sys.modules.pop("toy.own", None)
        assert main(GradcheckConfig()) == code
        assert f"toy.own.Square: {said}" in capsys.readouterr().out


def test_what_cannot_be_checked_is_said(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(OWN.replace("FACTOR", "2"), encoding="utf-8")
    assert main(GradcheckConfig()) == 1
    said = capsys.readouterr().out
    assert "toy.own.Unknown: has no static method `example`" in said
    assert "toy.own.Fixed: `example` returns no tensor that requires a gradient" in said


def test_a_package_without_functions_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(GradcheckConfig()) == 0
    assert capsys.readouterr().err == "toy defines no torch.autograd.Function\n"
