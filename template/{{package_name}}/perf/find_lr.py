"""Find a learning rate: raise it from step to step, and see where the loss falls fastest.

The range test of Smith (Cyclical Learning Rates for Training Neural Networks, 2015).
"""

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ..base import cli, distributed
from ..base.cli import require
from ..base.errors import UserError
from ..config import Config
from ..engine.metrics import MetricSums
from ..engine.trainer import Trainer
from .step import endless

SMOOTH = 0.9  # weight of the earlier losses in the mean that ends the search
BEYOND = 4.0  # it ends where that mean is this many times its least value
CLEAR = 0.02  # a loss has fallen if it did so by this share


@dataclass(frozen=True)
class FindConfig(Config):
    """Try a learning rate per step, and suggest one. Takes the flags of train, too."""

    from_lr: float = 1e-6
    """Learning rate of the first step."""
    to_lr: float = 1.0
    """Learning rate of the last step."""
    steps: int = 100
    """Steps, evenly spaced on a logarithmic scale."""
    plot: Path = Path("learning_rates.png")
    """File of the plot."""

    def __post_init__(self) -> None:
        super().__post_init__()
        ordered = 0 < self.from_lr < self.to_lr < math.inf
        require(self, "from_lr", ordered, "above 0 and below --to-lr")
        require(self, "steps", self.steps >= 10, "at least 10")


class Finder(Trainer):
    """Trains at a learning rate that grows by the same factor from step to step."""

    config: FindConfig
    rate: float  # of the next step

    def lr(self, group: dict[str, Any]) -> float:
        """The rate of the next step; other groups keep their ratio to the first."""
        return self.rate * group["initial_lr"] / self.optimizer.param_groups[0]["initial_lr"]

    def search(self) -> tuple[list[float], list[float]]:
        """Train; returns the rates and losses of the steps, until the losses explode."""
        config, least, mean = self.config, math.inf, 0.0
        rates, losses = list[float](), list[float]()
        self.rate = config.from_lr
        for batch in endless(self):
            self.sums = MetricSums(self.device)
            self.step(batch)
            self.rate *= (config.to_lr / config.from_lr) ** (1 / (config.steps - 1))
            rates.append(self.optimizer.param_groups[0]["lr"])
            losses.append(self.sums.compute(self.task)["loss"])
            mean = SMOOTH * mean + (1 - SMOOTH) * losses[-1]
            unbiased = mean / (1 - SMOOTH ** len(losses))
            if not unbiased < BEYOND * least or len(losses) == config.steps:
                break
            least = min(least, unbiased)
        return rates, losses


def suggest(rates: list[float], losses: list[float], reach: int) -> float:
    """The rate where the loss falls fastest over the logarithm of the rate, before its least.

    Raises UserError if it does not fall.
    """
    # of each loss and its neighbors, `reach` on either side
    means = [fmean(losses[max(0, i - reach) : i + reach + 1]) for i in range(len(losses))]
    lowest = means.index(min(means))
    if means[lowest] > (1 - CLEAR) * means[0] or lowest < 2 * reach + 1:
        raise UserError("the loss does not fall clearly: widen --from-lr and --to-lr, or add steps")
    falls = [means[i - reach] - means[i + reach] for i in range(reach, lowest - reach + 1)]
    return rates[reach + falls.index(max(falls))]


def draw(rates: list[float], losses: list[float], found: float, path: Path) -> None:
    """Plot the losses over the rates."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UserError(f"the plot needs pip install {error.name}") from error
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(rates, losses, label="loss of a step")
    axes.axvline(found, color="C1", linestyle="--", label=f"falls fastest: {found:.1e}")
    axes.set(xscale="log", xlabel="learning rate", ylabel="training loss")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Search, plot, suggest."""
    config = cli.parse(FindConfig)
    with distributed.process_group(config.device) as device:
        finder = Finder(config, device)
        try:
            rates, losses = finder.search()
        finally:
            finder.close()
    if distributed.RANK:
        return
    finite = [loss for loss in losses if math.isfinite(loss)]
    reach = config.steps // 20 or 1
    found = suggest(rates, finite, reach)
    draw(rates[: len(finite)], finite, found, config.plot)
    print(f"the loss falls fastest at {found:.1e}: try --lr {found:.1e}; see {config.plot}")
