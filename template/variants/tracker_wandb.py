"""Curves for Weights & Biases, offline until you log in.

`wandb login` sends the runs that follow; `wandb sync RUN/wandb/offline-run-*` sends an earlier one.
WANDB_PROJECT, WANDB_ENTITY and WANDB_MODE are read as everywhere.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import wandb

Points = dict[int, dict[str, float]]  # values by step and name


class Tracker:
    """Passes the lines of metrics.jsonl and steps.jsonl on to a run of W&B."""

    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        """Start a run, or continue the one of this id."""
        for part in run_dir.glob(f"wandb/offline-run-*-{run}"):
            shutil.rmtree(part)  # not sent yet; `log` gets all points again
        offline = "WANDB_MODE" not in os.environ and not wandb.login(prompt=False)
        self.run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", __package__.partition(".")[0]),
            name=run_dir.resolve().name,
            id=run,
            resume="allow",
            dir=run_dir,
            config=settings,
            mode="offline" if offline else None,
            # a server that cannot be reached must not hold up the run
            settings=wandb.Settings(silent=True, console="off", init_timeout=15, finish_timeout=30),
        )

    def log(self, points: Points) -> None:
        """Add the points that the server does not have."""
        for step, values in points.items():
            if step >= self.run.step:
                self.run.log(values, step=step, commit=True)

    def close(self, *, complete: bool) -> None:
        """Send what is left."""
        self.run.finish()
