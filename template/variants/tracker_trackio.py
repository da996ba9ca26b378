"""Curves for Trackio: a store in the run's folder, or where TRACKIO_DIR says. No account.

To compare runs on one page, give them one store: train with TRACKIO_DIR=runs/trackio, and look at
it with `TRACKIO_DIR=runs/trackio trackio show`.
"""

import contextlib
import io
import os
from pathlib import Path
from typing import Any

Points = dict[int, dict[str, float]]  # values by step and name
PROJECT = __package__.partition(".")[0]


class Tracker:
    """Passes the lines of metrics.jsonl and steps.jsonl on to a run of Trackio."""

    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        """Begin anew at each start; `log` gets all points again, so that none is there twice."""
        os.environ.setdefault("TRACKIO_DIR", str(run_dir.resolve() / "trackio"))
        import trackio  # which reads TRACKIO_DIR only then

        self.trackio = trackio
        name = f"{run_dir.resolve().name}-{run[:8]}"
        with contextlib.suppress(ValueError):  # the store has nothing of this project yet
            for earlier in trackio.Api().runs(PROJECT):
                if earlier.name == name:
                    earlier.delete()
        with contextlib.redirect_stdout(io.StringIO()):  # it prints advice
            self.run = trackio.init(
                project=PROJECT,
                name=name,
                resume="never",
                config={name: str(value) for name, value in settings.items()},
                embed=False,
                auto_log_cpu=False,
                auto_log_gpu=False,
            )

    def log(self, points: Points) -> None:
        """Add points."""
        for step, values in points.items():
            self.run.log(values, step=step)

    def close(self, *, complete: bool) -> None:
        """Wait for what is left, which a thread writes."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.trackio.finish()
