"""The search for a learning rate tries the rates it names, and finds where the loss falls."""

import json
import math
from pathlib import Path

import pytest
from conftest import call

from toy.base.errors import UserError
from toy.tools.find_lr import FindConfig, main, suggest


def test_the_steepest_fall_before_the_least_loss_is_found() -> None:
    rates = [10 ** (step / 20 - 5) for step in range(100)]
    # falls around 1e-3, and is at its least around 1e-2; then it explodes
    losses = [
        2 - math.tanh(2 * (math.log10(r) + 3)) + 5 * max(0.0, math.log10(r) + 1) for r in rates
    ]
    assert suggest(rates, losses, 5) == pytest.approx(1e-3, rel=0.3)


def test_a_loss_that_does_not_fall_is_refused() -> None:
    for losses in (
        [1.0 + step % 2 / 100 for step in range(100)],
        [float(s) for s in range(1, 101)],
    ):
        with pytest.raises(UserError, match="does not fall clearly"):
            suggest([10**-step for step in range(100)], losses, 5)


def test_the_rates_grow_by_one_factor_and_the_plot_is_drawn(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "plots/a.png"
    ends = {"from_lr": 1e-5, "to_lr": 0.1, "steps": 40, "plot": plot, "json": True}
    config = FindConfig(data_dir=toy_data, batch_size=8, num_workers=0, device="cpu", **ends)
    assert call(main, config) == 0
    found = json.loads(capsys.readouterr().out)
    ratios = [b / a for a, b in zip(found["rates"], found["rates"][1:], strict=False)]
    assert found["rates"][0] == 1e-5 and found["rates"][-1] == pytest.approx(0.1)
    assert ratios == pytest.approx([1e4 ** (1 / 39)] * 39)
    assert len(found["losses"]) == 40 and found["suggested"] in found["rates"]
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("flags", "said"),
    [({"from_lr": 1.0}, "--from-lr must be above 0 and below --to-lr"), ({"steps": 9}, "--steps")],
)
def test_ends_that_are_none_are_refused(flags: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FindConfig(**flags)  # type: ignore[arg-type]
