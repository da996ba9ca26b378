"""Curves for TensorBoard, in the run's own folder: `tensorboard --logdir runs`."""

import shutil
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

Points = dict[int, dict[str, float]]  # values by step and name


class Tracker:
    """Passes the lines of metrics.jsonl and steps.jsonl on to event files."""

    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        """Begin anew at each start; `log` gets all points again, so that none is there twice."""
        folder = run_dir / "tensorboard"
        shutil.rmtree(folder, ignore_errors=True)
        self.writer = SummaryWriter(str(folder))
        # the pages take numbers and text alone
        plain = int | float | str
        self.settings = {n: v if isinstance(v, plain) else str(v) for n, v in settings.items()}
        rows = "\n".join(f"| {name} | {value} |" for name, value in self.settings.items())
        self.writer.add_text("config", f"| setting | value |\n|---|---|\n{rows}", 0)

    def log(self, points: Points) -> None:
        """Add points."""
        for step, values in points.items():
            for name, value in values.items():
                self.writer.add_scalar(name, value, step)
        self.writer.flush()

    def finish(self, final: dict[str, float]) -> None:
        """Add the final metrics, with the settings, to the HParams page."""
        self.writer.add_hparams(self.settings, final, run_name=".")
        self.writer.close()

    def close(self) -> None:
        """Write what is left of a run that was stopped."""
        self.writer.close()
