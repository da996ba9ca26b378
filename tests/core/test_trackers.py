"""Each tracker's store holds every point once, whatever was killed, and cannot hold up a run."""

import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Project

TRACKERS = ("tensorboard", "wandb", "mlflow", "trackio")
EPOCHS = {10: {"train/loss": 0.5, "val/loss": 0.25}, 20: {"train/loss": 0.375, "val/loss": 0.125}}
RUN = "0123456789abcdef"
STEPS = {step: {"step/loss": 1 / step, "step/lr": 0.5} for step in (4, 8, 12, 16, 20)}
Points = dict[tuple[str, int], list[float]]  # values by name and step

# begins or continues a run, gives it the points up to a step, and ends
SCRIPT = """
import json, os, sys
from pathlib import Path
from {package}.engine.tracker import Tracker

run_dir, points, end = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
tracker = Tracker(Path(run_dir), "{run}", {{"lr": 0.5, "run_dir": None, "batch_size": 8}})
for step, values in sorted((int(step), values) for step, values in points.items()):
    tracker.log({{step: values}})
if end == "kill":
    os._exit(9)
tracker.close(complete=end == "complete")
"""

READ_TRACKIO = """
import json, sys
from trackio.sqlite_storage import SQLiteStorage

alike = [run["id"] for run in SQLiteStorage.get_run_records(sys.argv[1])]
logs = [log for run in alike for log in SQLiteStorage.get_logs(sys.argv[1], "", run_id=run)]
print(json.dumps(logs))
print(json.dumps(SQLiteStorage.get_run_config(sys.argv[1], sys.argv[2])))
"""


def points_until(step: int) -> dict[int, dict[str, float]]:
    """The points of steps and epochs together, up to a step."""
    return {s: STEPS.get(s, {}) | EPOCHS.get(s, {}) for s in {*STEPS, *EPOCHS} if s <= step}


def track(project: Project, run_dir: Path, points: dict[int, Any], end: str, **env: str) -> None:
    """Run SCRIPT in the folder above the run's."""
    run_dir.mkdir(parents=True, exist_ok=True)
    script = SCRIPT.format(package=project.package, run=RUN)
    done = subprocess.run(
        [sys.executable, "-c", script, str(run_dir), json.dumps(points), end],
        cwd=run_dir.parent,
        env=project.environment(**env),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == (9 if end == "kill" else 0), done.stderr


def read_tensorboard(run_dir: Path, package: str) -> tuple[Points, dict[str, str]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    store = EventAccumulator(str(run_dir / "tensorboard"), purge_orphaned_data=False).Reload()
    points: Points = {}
    for name in store.Tags()["scalars"]:
        for event in store.Scalars(name):
            points.setdefault((name, event.step), []).append(event.value)
    table = store.Tensors("config/text_summary")[0].tensor_proto.string_val[0].decode()
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return points, {name: value for name, value in rows}


def wandb_records(path: Path) -> list[Any]:
    """The records of an offline run: a file header of 7 bytes, then LevelDB's log format."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, place, found, parts = path.read_bytes(), 7, [], b""
    while place < len(content):
        if 32768 - place % 32768 < 7:  # the rest of a block is too short for a header
            place += 32768 - place % 32768
            continue
        _, length, kind = struct.unpack_from("<IHB", content, place)
        parts += content[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # a whole record, or the last part of one
            found.append(Record.FromString(parts))
            parts = b""
    return found


def read_wandb(run_dir: Path, package: str) -> tuple[Points, dict[str, str]]:
    def values_of(items: Any) -> dict[str, Any]:
        return {i.key or "/".join(i.nested_key): json.loads(i.value_json) for i in items}

    points: Points = {}
    settings: dict[str, str] = {}
    for path in run_dir.glob("wandb/offline-*/*.wandb"):
        for record in wandb_records(path):
            kind = record.WhichOneof("record_type")
            if kind == "history":
                values = values_of(record.history.item)
                for name, value in values.items():
                    if not name.startswith("_"):
                        points.setdefault((name, values["_step"]), []).append(value)
            elif kind == "run":
                assert record.run.run_id == RUN
                found = values_of(record.run.config.update)
                settings |= {name: str(value) for name, value in found.items()}
    return points, settings


def mlflow_client(folder: Path) -> Any:
    from mlflow import MlflowClient

    return MlflowClient(f"sqlite:///{(folder / 'mlflow.db').as_posix()}")


def read_mlflow(run_dir: Path, package: str) -> tuple[Points, dict[str, str]]:
    client, points = mlflow_client(run_dir.parent), dict[tuple[str, int], list[float]]()
    (run,) = client.search_runs([e.experiment_id for e in client.search_experiments()])
    data, name = run.data, run.info.run_id
    for curve in data.metrics:
        for point in client.get_metric_history(name, curve):
            points.setdefault((curve, point.step), []).append(point.value)
    return points, data.params


def read_trackio(run_dir: Path, package: str) -> tuple[Points, dict[str, str]]:
    line = [sys.executable, "-c", READ_TRACKIO, package, f"{run_dir.name}-{RUN[:8]}"]
    env = Project(run_dir, package, "").environment(TRACKIO_DIR=str(run_dir / "trackio"))
    logs, config = map(json.loads, subprocess.check_output(line, env=env).splitlines())
    points: Points = {}
    for log in logs:
        for name, value in log.items():
            if "/" in name:
                points.setdefault((name, log["step"]), []).append(value)
    return points, config


READERS: dict[str, Callable[[Path, str], tuple[Points, dict[str, str]]]] = {
    "tensorboard": read_tensorboard,
    "wandb": read_wandb,
    "mlflow": read_mlflow,
    "trackio": read_trackio,
}


@pytest.mark.parametrize("logger", TRACKERS)
def test_every_point_is_there_once_after_a_kill_a_stop_and_a_resume(
    new_project: Callable[..., Project], tmp_path: Path, logger: str
) -> None:
    project, run_dir = new_project(f"with_{logger}", logger=logger), tmp_path / "run"
    track(project, run_dir, points_until(8), "kill")
    # the killed start may have got further than the files tell
    track(project, run_dir, points_until(4), "close")
    track(project, run_dir, points_until(20), "complete")
    points, settings = READERS[logger](run_dir, project.package)
    wanted = {(name, s): [v] for s, each in points_until(20).items() for name, v in each.items()}
    assert points.keys() == wanted.keys()
    for place, values in wanted.items():
        assert points[place] == pytest.approx(values, rel=1e-6), place  # TensorBoard's is float32
    assert (settings["lr"], settings["batch_size"]) == ("0.5", "8")


def test_runs_that_start_at_once_on_a_new_sqlite_file_wait_for_each_other(
    new_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = new_project("with_mlflow", logger="mlflow")
    scripts = {name: SCRIPT.format(package=project.package, run=name) for name in "abcd"}
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / name), "{}", "close"],
            cwd=tmp_path,
            env=project.environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, script in scripts.items()
    ]
    for start in starts:
        _, said = start.communicate(timeout=120)
        assert start.returncode == 0, said
    client = mlflow_client(tmp_path)
    (experiment,) = [e for e in client.search_experiments() if e.name == project.package]
    runs = client.search_runs([experiment.experiment_id])
    assert sorted(run.info.run_name for run in runs) == ["a", "b", "c", "d"]
    assert {run.info.status for run in runs} == {"KILLED"}


def test_mlflow_says_of_a_stopped_run_that_goes_on_that_it_is_running(
    new_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = new_project("with_mlflow", logger="mlflow")
    script = SCRIPT.format(package=project.package, run=RUN)
    script += script.replace("sys.argv[3]", "'kill'")  # closed, begun again and killed
    line = [sys.executable, "-c", script, str(tmp_path), "{}", "close"]
    done = subprocess.run(line, cwd=tmp_path, env=project.environment(), timeout=120, check=False)
    client = mlflow_client(tmp_path)
    (run,) = client.search_runs([e.experiment_id for e in client.search_experiments()])
    assert (done.returncode, run.info.status) == (9, "RUNNING")


@pytest.mark.parametrize("answers", [False, True])
def test_a_server_out_of_reach_is_one_warning_and_the_next_start_sends_everything(
    new_project: Callable[..., Project], source: Path, tmp_path: Path, answers: bool
) -> None:
    project = new_project("with_mlflow", logger="mlflow")
    done = project.run("prepare", "--source", source, "--data-dir", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    flags: list[Any] = ["--data-dir", tmp_path / "data", "--run-dir", tmp_path / "run"]
    flags += ["--epochs", 2, "--batch-size", 8, "--num-workers", 0, "--log-every", 2]
    with socket.socket() as server:  # it takes calls and never answers, or is not there
        server.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        if answers:
            server.listen()
        began = time.monotonic()
        environment = {"MLFLOW_TRACKING_URI": address}
        done = project.run("train", *flags, cwd=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 60
    assert done.stdout.count("warning: the tracker failed") == 1
    assert "epoch 2/2" in done.stdout and "done: 2 epochs" in done.stdout
    done = project.run("train", *flags, "--resume", cwd=tmp_path)
    assert done.returncode == 0 and "is finished" in done.stdout and "warning" not in done.stdout
    points, _ = read_mlflow(tmp_path / "run", project.package)
    assert {step for name, step in points if name == "val/loss"} == {3, 6}
    assert {step for name, step in points if name == "step/loss"} == {2, 4, 6}
    assert all(len(values) == 1 for values in points.values())


def test_a_key_without_a_network_does_not_hold_up_a_run(
    new_project: Callable[..., Project], tmp_path: Path
) -> None:
    project, began = new_project("with_wandb", logger="wandb"), time.monotonic()
    environment = {"WANDB_API_KEY": "a" * 40, "WANDB_BASE_URL": "http://127.0.0.1:9"}
    with pytest.raises(AssertionError, match=r"wandb.*Error"):  # Log makes a warning of it
        track(project, tmp_path / "run", {}, "close", **environment)
    assert time.monotonic() - began < 60
