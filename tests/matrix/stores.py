"""Reading back what the backends stored, with their own libraries, from a run's folder."""

# mypy: disable-error-code="import-untyped,attr-defined"
# (TensorBoard and W&B's protocol have no types)

import json
import sqlite3
import struct
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

Points = dict[tuple[str, int], list[float]]  # every value at (curve, step): one, if all is well


class Store(NamedTuple):
    """What a backend holds of one run."""

    points: Points
    settings: dict[str, Any]


def read_tensorboard(run_dir: Path) -> Store:
    """The event files: raw, so that a point written twice shows, and as TensorBoard reads them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    store = Store(defaultdict(list), {})
    for path in sorted((run_dir / "tensorboard").glob("events.out.tfevents.*")):
        for event in LegacyEventFileLoader(str(path)).Load():
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    add(store, value.tag, event.step, value.simple_value)
                elif value.tag == "config/text_summary":
                    table = value.tensor.string_val[0].decode()
                    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
                    store.settings.update({name: setting for name, setting in rows})
    shown = EventAccumulator(str(run_dir / "tensorboard"), size_guidance={"scalars": 0}).Reload()
    curves = {tag: shown.Scalars(tag) for tag in shown.Tags()["scalars"]}
    points = {(tag, p.step): [p.value] for tag, points in curves.items() for p in points}
    assert points == store.points, "TensorBoard shows other points than the event files hold"
    return store


def read_wandb(run_dir: Path) -> Store:
    """The transaction logs of the one offline run: of its start, and of each resume."""
    store, ids = Store(defaultdict(list), {}), set()
    for log in sorted(run_dir.glob("wandb/offline-run-*/run-*.wandb")):
        ids.add(log.stem)
        for record in wandb_records(log.read_bytes()):
            match record.WhichOneof("record_type"):
                case "run":
                    store.settings.update(items(record.run.config.update))
                case "history":
                    row = items(record.history.item)
                    for name, value in row.items():
                        if not name.startswith("_"):  # _step, _runtime and the like are W&B's own
                            add(store, name, row["_step"], value)
    assert len(ids) == 1, f"more than one run: {ids}"
    return store


def wandb_records(log: bytes) -> Iterator[Any]:
    """The records of a log in LevelDB's format: pieces in blocks of 32 KiB, after 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    block, header = 32768, struct.Struct("<IHB")  # checksum, length, kind
    whole, last = 1, 4  # the kinds of piece that end a record
    place, pieces = header.size, b""
    while place < len(log):
        rest = block - place % block
        if rest < header.size:
            place += rest
            continue
        _, length, kind = header.unpack_from(log, place)
        place += header.size
        pieces += log[place : place + length]
        place += length
        if kind in (whole, last):
            yield Record.FromString(pieces)
            pieces = b""
    assert not pieces, "the log ends within a record"


def items(entries: Any) -> dict[str, Any]:
    """Key and value of W&B's entries, whose key may be a path."""
    return {e.key or "/".join(e.nested_key): json.loads(e.value_json) for e in entries}


def read_mlflow(run_dir: Path) -> Store:
    """The SQLite store beside the run, through MLflow's client: one experiment, one run."""
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{(run_dir.parent / 'mlflow.db').as_posix()}")
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    key = json.loads((run_dir / "status.json").read_text())["run"]
    (run,) = client.search_runs(experiments, f"tags.key = '{key}'")
    assert run.info.status == "FINISHED"
    store = Store(defaultdict(list), dict(run.data.params))
    for name in run.data.metrics:
        for point in client.get_metric_history(run.info.run_id, name):
            add(store, name, point.step, point.value)
    return store


def read_trackio(run_dir: Path) -> Store:
    """The SQLite store, as it lies there: one project, one run."""
    (database,) = (run_dir / "trackio").glob("*.db")
    with sqlite3.connect(database) as connection:
        names = {row[0] for row in connection.execute("SELECT run_name FROM metrics")}
        (config,) = connection.execute("SELECT config FROM configs").fetchall()
        logs = connection.execute("SELECT step, metrics FROM metrics").fetchall()
    assert len(names) == 1, f"more than one run: {names}"
    store = Store(defaultdict(list), json.loads(config[0]))
    for step, metrics in logs:
        for name, value in json.loads(metrics).items():
            add(store, name, step, value)
    return store


def add(store: Store, name: str, step: int, value: float) -> None:
    """Put a value where it belongs."""
    store.points[name, step].append(value)


READERS = {
    "tensorboard": read_tensorboard,
    "wandb": read_wandb,
    "mlflow": read_mlflow,
    "trackio": read_trackio,
}


def check_store(logger: str, run_dir: Path, records: list[dict[str, Any]]) -> None:
    """The backend holds every value of metrics.jsonl once, and the settings."""
    files = {name: name for name in READERS} | {"mlflow": "../mlflow.db"}
    for name, file in files.items():
        assert (run_dir / file).exists() == (name == logger), f"{file} in a run for {logger}"
    if logger not in READERS:
        assert logger == "none", f"stores.READERS needs a reader for {logger}"
        return
    store = READERS[logger](run_dir)
    narrow = logger == "tensorboard"  # its event files hold float32

    def stored(value: float) -> float:
        return struct.unpack("f", struct.pack("f", value))[0] if narrow else value

    expected = {
        (f"{record['split']}/{name}", record["step"]): [stored(value)]
        for record in records
        for name, value in record.items()
        if name not in ("split", "epoch", "step") and value is not None
    }
    # points within an epoch, of steps.jsonl, have names of their own
    assert expected.items() <= dict(store.points).items()
    assert [key for key, values in store.points.items() if len(values) > 1] == []
    settings = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    for name in ("lr", "seed", "width", "batch_size"):
        assert agree(store.settings[name], settings[name]), name


def agree(stored: Any, value: Any) -> bool:
    """Whether a setting came through; the backends make text, or floats, of some."""
    try:
        return float(stored) == float(value)
    except (TypeError, ValueError):
        return str(stored).lower() == str(value).lower()
