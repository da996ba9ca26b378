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
        shutil.rmtree(run_dir / "tensorboard", ignore_errors=True)
        self.writer = SummaryWriter(str(run_dir / "tensorboard"))
        rows = "\n".join(f"| {name} | {value} |" for name, value in settings.items())
        self.writer.add_text("config", f"| setting | value |\n|---|---|\n{rows}", 0)

    def log(self, points: Points) -> None:
        """Add points."""
        for step, values in points.items():
            for name, value in values.items():
                self.writer.add_scalar(name, value, step)
        self.writer.flush()

    def close(self, *, complete: bool) -> None:
        """Write what is left."""
        self.writer.close()
