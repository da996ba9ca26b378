"""Curves for TensorBoard, in the run's own folder: `tensorboard --logdir runs`."""

import shutil
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from ..base.values import Plain


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
