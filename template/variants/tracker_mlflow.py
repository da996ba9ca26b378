"""Curves for MLflow: an SQLite store in the run's folder, or where MLFLOW_TRACKING_URI says.

To compare runs in one table, give them one store: MLFLOW_TRACKING_URI=sqlite:///mlflow.db, and look
at it with `mlflow ui --backend-store-uri sqlite:///mlflow.db` (of the full mlflow package).
"""

import logging
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlflow import MlflowClient
from mlflow.entities import Metric, Param

from ..base.errors import PACKAGE
from ..base.values import Plain

if TYPE_CHECKING:
    from .histograms import Histograms


class Tracker:
    """Passes the lines of metrics.jsonl on to an MLflow run."""

    def __init__(self, run_dir: Path, settings: Plain) -> None:
        """Go on in the run that the folder names; the caller logs the epochs so far again."""
        logging.getLogger("mlflow").setLevel(logging.WARNING)  # it reports creating its tables
        run_dir = run_dir.resolve()
        local = f"sqlite:///{(run_dir / 'mlflow.db').as_posix()}"
        self.client = MlflowClient(os.environ.get("MLFLOW_TRACKING_URI", local))
        path = run_dir / "mlflow_run.txt"
        if path.exists():
            self.run_id = path.read_text(encoding="utf-8").strip()
            self.client.update_run(self.run_id, status="RUNNING")
        else:
            run = self.client.create_run(self._experiment(run_dir), run_name=run_dir.name)
            self.run_id = run.info.run_id
            path.write_text(self.run_id, encoding="utf-8")
        stored = self.client.get_run(self.run_id).data
        new = {name: value for name, value in settings.items() if name not in stored.params}
        self.client.log_batch(self.run_id, params=[Param(k, str(v)) for k, v in new.items()])
        self.step = 0  # of the newest line
        self.finished = False
        # the step of the newest point of each curve: a resumed run must not add it again
        self.newest = {
            name: max(point.step for point in self.client.get_metric_history(self.run_id, name))
            for name in stored.metrics
        }

    def log(self, record: Plain) -> None:
        """Add one line of metrics.jsonl as points at its step, unless the store has them."""
        self.step = record["step"]
        points = {
            f"{record['split']}/{name}": value
            for name, value in record.items()
            if name not in ("split", "epoch", "step") and value is not None
        }
        self._add(points)

    def draw(self, step: int, histograms: "Histograms") -> None:
        """Add histograms to the artifacts, as JSON: MLflow has no charts of them."""
        found = {name: histogram._asdict() for name, histogram in histograms.items()}
        self.client.log_dict(self.run_id, found, f"histograms/{step}.json")

    def finish(self, summary: Plain) -> None:
        """Add the final numbers, and say that the run has ended."""
        self._add({f"final/{name}": value for name, value in summary.items()})
        self.client.set_terminated(self.run_id, "FINISHED")
        self.finished = True

    def show(self, figures: dict[str, Any]) -> None:
        """Add matplotlib's figures to the artifacts."""
        for name, figure in figures.items():
            self.client.log_figure(self.run_id, figure, f"report/{name}.png")

    def close(self) -> None:
        """Say of a run that was stopped that it was."""
        if not self.finished:
            self.client.set_terminated(self.run_id, "KILLED")

    def _add(self, points: Plain) -> None:
        now = int(time.time() * 1000)  # milliseconds since 1970
        metrics = [
            Metric(name, float(value), now, self.step)
            for name, value in points.items()
            if self.step > self.newest.get(name, -1)
        ]
        self.client.log_batch(self.run_id, metrics=metrics)

    def _experiment(self, run_dir: Path) -> str:
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", PACKAGE)
        found = self.client.get_experiment_by_name(name)
        if found is not None:
            return found.experiment_id
        return self.client.create_experiment(name, (run_dir / "mlflow_artifacts").as_uri())
