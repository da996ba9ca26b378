"""Write the page of a run, or of several."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment

from ..augment import Augmentation
from ..base.device import pick_device
from ..base.errors import CheckpointError, DataError
from ..base.files import write_atomic
from ..data.loader import BatchDataset
from ..engine.trained import TrainedModel, load_trained
from ..task import sample_order
from . import PACKAGE, classes, figures, history

MATRIX = 1000  # classes of the largest confusion matrix
MOSAIC = 32  # images of a training batch


def write_report(
    run_dir: Path,
    *,
    data_dir: Path | None = None,
    device: str = "auto",
    stopped: Callable[[], bool] = lambda: False,
) -> Path:
    """Write the page of a run; returns its path.

    Without a checkpoint or the data it has the curves alone, and says why. Raises CheckpointError
    or DataError if a better page is there already, UserError when `stopped` becomes true.
    """
    run, output = history.read(run_dir), run_dir / "report.html"
    content: dict[str, Any] = {}
    head = run.summary()
    try:
        trained = load_trained(run_dir, pick_device(device))
        val, train = (classes.open_samples(trained, data_dir, split) for split in ("val", "train"))
        head |= {
            "parameters": f"{sum(p.numel() for p in trained.model.parameters()):,}",
            "samples": f"{len(train):,} training, {len(val):,} validation",
            "size": " x ".join(map(str, trained.info.shape)),
        }
        found = classes.predict(trained, val, stopped)
        if found is not None:
            content = view(trained, val, found)
        content["mosaic"] = training_batch(trained, train)
    except (CheckpointError, DataError) as error:
        if output.exists():
            raise type(error)(f"{error}; {output} was left as it is") from error
        content["note"] = f"This page has the curves alone: {error}."
    environment = {n: v for n, v in run.environment.items() if n not in ("packages", "earlier")}
    packages = run.environment.get("packages", {})
    done = max((record["epoch"] for record in run.epochs), default=0)
    page = render(
        title=f"{PACKAGE}: {run_dir.resolve().name}",
        subtitle=f"{run_dir}, {done} of {run.settings['epochs']} epochs",
        head=head | run.best_epoch(),
        changed=run.changed(),
        curves=figures.curves({run_dir.name: run}),
        folded={"All settings": run.settings, "Environment": environment, "Packages": packages},
        **content,
    )
    write_atomic(output, page)
    return output


def view(trained: TrainedModel, val: Any, found: classes.Predicted) -> dict[str, Any]:
    """What the page shows of the predictions."""
    names = trained.info.classes
    shown: dict[str, Any] = {"samples": len(val), "mistakes": []}
    for index in classes.worst(found).tolist():
        picture = figures.to_png(val.read(np.array([index]))[0])
        row = {"picture": picture, "where": val.where(index), "class": names[found.targets[index]]}
        sure = float(found.confidence[index])
        shown["mistakes"].append(row | {"predicted": names[found.classes[index]], "sure": sure})
    error, bins = classes.calibration(found)
    shown |= {"calibration": figures.calibration(bins), "calibration_error": error}
    if len(names) <= MATRIX:
        matrix = classes.confusion(found, len(names))
        rows = classes.per_class(matrix, names)
        means = {"class": "mean over classes", "samples": len(val)}
        for name in ("precision", "recall", "f1"):
            values = [row[name] for row in rows if row[name] is not None]
            means[name] = sum(values) / len(values)
        shown |= {"classes": [*rows, means], "confusion": figures.confusion(matrix, names)}
    return shown


def training_batch(trained: TrainedModel, train: Any) -> str:
    """The first images of the first epoch, as the model is trained on them."""
    config = trained.config
    indices = sample_order(config, train, 0)[:MOSAIC]
    batch = BatchDataset(train, Augmentation(config, trained.info))[0, indices]
    return figures.mosaic(batch.inputs.numpy())


def write_comparison(folders: list[Path]) -> Path:
    """Write the page of several runs: their curves, and what differs; returns its path."""
    runs = [history.read(folder) for folder in folders]
    shared = Path(os.path.commonpath([run.folder.resolve().parent for run in runs]))
    labels = [Path(os.path.relpath(run.folder.resolve(), shared)).as_posix() for run in runs]
    named = dict(zip(labels, runs, strict=True))
    rows = [{"run": label} | run.summary() | run.best_epoch() for label, run in named.items()]
    differ = {
        "Settings": history.differences([run.settings for run in runs]),
        "Environment": history.differences([run.environment for run in runs]),
    }
    output = shared / "comparison.html"
    page = render(
        title=f"{PACKAGE}: {len(runs)} runs",
        subtitle=str(shared),
        runs=rows,
        labels=labels,
        differ=differ,
        curves=figures.curves(named),
    )
    write_atomic(output, page)
    return output


def render(**content: Any) -> bytes:
    """Fill in the page; all text is escaped."""
    text = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    environment = Environment("[%", "%]", "[[", "]]", autoescape=True, trim_blocks=True)
    # the name of a file may be no valid text
    return environment.from_string(text).render(content).encode("utf-8", "replace")
