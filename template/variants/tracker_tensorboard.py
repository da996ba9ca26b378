"""Curves for TensorBoard, in the run's own folder: `tensorboard --logdir runs`."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch.utils.tensorboard import SummaryWriter

from ..base.values import Plain

if TYPE_CHECKING:
    from .histograms import Histograms


class Tracker:
    """Passes the lines of metrics.jsonl on to event files."""

    def __init__(self, run_dir: Path, settings: Plain) -> None:
        """Begin anew, at a resume too: the caller logs the epochs so far, so that none is twice."""
        folder = run_dir / "tensorboard"
        shutil.rmtree(folder, ignore_errors=True)
        # its page takes numbers and text alone
        plain = int | float | str
        self.settings = {k: v if isinstance(v, plain) else str(v) for k, v in settings.items()}
        self.writer = SummaryWriter(str(folder))
        rows = "\n".join(f"| {name} | {value} |" for name, value in self.settings.items())
        self.step = 0  # of the newest line
        self.writer.add_text("config", f"| setting | value |\n|---|---|\n{rows}", 0)

    def log(self, record: Plain) -> None:
        """Add one line of metrics.jsonl as points at its step."""
        self.step = record["step"]
        for name, value in record.items():
            if name not in ("split", "epoch", "step") and value is not None:
                self.writer.add_scalar(f"{record['split']}/{name}", value, self.step)
        self.writer.flush()

    def draw(self, step: int, histograms: "Histograms") -> None:
        """Add histograms to the page of that name; each value counts as the middle of its bin."""
        for name, (counts, edges) in histograms.items():
            middles = [(low + high) / 2 for low, high in pairwise(edges)]
            total = sum(n * value for n, value in zip(counts, middles, strict=True))
            squares = sum(n * value**2 for n, value in zip(counts, middles, strict=True))
            self.writer.add_histogram_raw(
                name, edges[0], edges[-1], sum(counts), total, squares, edges[1:], counts, step
            )
        self.writer.flush()

    def finish(self, summary: Plain) -> None:
        """Add the final numbers, with the hyper-parameters, to TensorBoard's HParams page."""
        final = {f"final/{name}": value for name, value in summary.items()}
        self.writer.add_hparams(self.settings, final, run_name=".")
        self.writer.flush()

    def show(self, figures: dict[str, Any]) -> None:
        """Add matplotlib's figures to the Images page, at the step of the newest line."""
        for name, figure in figures.items():
            self.writer.add_figure(f"report/{name}", figure, self.step)

    def close(self) -> None:
        """Write what is left."""
        self.writer.close()
