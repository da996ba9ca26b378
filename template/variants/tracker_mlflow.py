"""Curves for MLflow: `mlflow ui --backend-store-uri sqlite:///mlflow.db`, or a server's.

MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME are read as everywhere.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Metric, Param

from ..base.files import lock

Points = dict[int, dict[str, float]]  # values by step and name
STORE = os.environ.get("MLFLOW_TRACKING_URI", "sqlite:///mlflow.db")


class Tracker:
    """Passes the lines of metrics.jsonl and steps.jsonl on to a run of MLflow."""

    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        """Start a run, or continue the one of this id."""
        # a server that cannot be reached must not hold up the run
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "5")  # seconds
        logging.getLogger("mlflow").setLevel(logging.WARNING)  # it reports creating its tables
        mlflow.set_tracking_uri(STORE)
        with one_at_a_time():
            self.client, tags, name = MlflowClient(), {"key": run}, run_dir.resolve().name
            project = os.environ.get("MLFLOW_EXPERIMENT_NAME", __package__.partition(".")[0])
            experiment = mlflow.set_experiment(project).experiment_id
            found = self.client.search_runs([experiment], f"tags.key = '{run}'")
            stored = found[0] if found else self.client.create_run(experiment, None, tags, name)
            self.run = stored.info.run_id
            self.client.update_run(self.run, status="RUNNING")
        params = [Param(n, str(v)) for n, v in settings.items() if n not in stored.data.params]
        self.client.log_batch(self.run, params=params)
        # the newest point of each curve: a resumed run must not add it again
        self.newest = {
            name: max(point.step for point in self.client.get_metric_history(self.run, name))
            for name in stored.data.metrics
        }

    def log(self, points: Points) -> None:
        """Add the points that the store does not have."""
        now, metrics = int(1000 * time.time()), []  # milliseconds since 1970
        for step, values in points.items():
            for name, value in values.items():
                if step > self.newest.get(name, -1):
                    metrics.append(Metric(name, float(value), now, step))
        for start in range(0, len(metrics), 1000):  # as many as a request may hold
            self.client.log_batch(self.run, metrics=metrics[start : start + 1000])

    def close(self, *, complete: bool) -> None:
        """Say how the run ended."""
        self.client.set_terminated(self.run, "FINISHED" if complete else "KILLED")


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Have runs that start at once on a new SQLite file wait: the first one creates its tables."""
    if not STORE.startswith("sqlite:///"):
        yield
        return
    for attempt in range(600):  # of a tenth of a second
        try:
            file = lock(Path(STORE.removeprefix("sqlite:///") + ".lock"))
            break
        except BlockingIOError:
            if attempt == 599:
                raise
            time.sleep(0.1)
    with file:
        yield
