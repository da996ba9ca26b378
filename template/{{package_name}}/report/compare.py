"""Several runs on one page: their curves, and what set them apart."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..base.errors import PACKAGE
from ..base.values import Plain
from . import figures
from .folder import Run
from .page import number, render, write

# settings whose difference says nothing
OWN = {"run_dir", "resume", "report"}
# what explains that the same settings gave other numbers
ENVIRONMENT = (
    *("code_fingerprint", "git_commit", "git_dirty", "template_version", "data_fingerprint"),
    *("python", "platform", "device", "device_name", "threads", "cuda"),
)


def write_comparison(runs: Sequence[Run], output: Path) -> None:
    """Write the page, and its numbers as JSON beside it; raises UserError where that fails."""
    named = dict(zip(labels([run.folder for run in runs]), runs, strict=True))
    rows = [
        {
            "run": name,
            "metric": run.best().metric,
            "best": number(run.best().value),
            "in epoch": run.best().epoch,
            "epochs": run.lines[-1]["epoch"],
        }
        for name, run in named.items()
    ]
    settings = {name: run.settings for name, run in named.items()}
    grounds = {
        name: {key: run.environment.get(key) for key in ENVIRONMENT}
        | {"torch": run.environment.get("packages", {}).get("torch")}
        for name, run in named.items()
    }
    differ = {
        "Settings": differences(settings, OWN),
        "Environments": differences(grounds, set()),
    }
    page = render(
        title=f"{PACKAGE}: {len(runs)} runs",
        subtitle=", ".join(named),
        head={},
        runs=rows,
        curves=figures.as_svg(figures.curves(named)),
        differences=differ,
        tables={},
    )
    numbers = {
        "runs": {
            name: {
                "folder": str(run.folder),
                "best": run.best()._asdict(),
                "metrics": run.lines,
                "settings": run.settings,
                "environment": grounds[name],
            }
            for name, run in named.items()
        },
        "settings_that_differ": differ["Settings"],
        "environments_that_differ": differ["Environments"],
    }
    write(output, page, numbers)


def common(folders: Sequence[Path]) -> Path:
    """The folder that holds them all, at whatever depth; the current one where none does."""
    try:
        return Path(os.path.commonpath([folder.resolve().parent for folder in folders]))
    except ValueError:  # on several drives of Windows
        return Path.cwd()


def labels(folders: Sequence[Path]) -> list[str]:
    """Names that tell the folders apart: their paths below what they share."""
    shared = common(folders)
    return [Path(os.path.relpath(folder.resolve(), shared)).as_posix() for folder in folders]


def differences(of_runs: dict[str, Plain], ignored: set[str]) -> list[dict[str, Any]]:
    """A row for each name whose values differ, with the value of each run."""
    names = dict.fromkeys(name for values in of_runs.values() for name in values)
    rows: list[dict[str, Any]] = [
        {"name": name, "values": {run: values.get(name) for run, values in of_runs.items()}}
        for name in names
        if name not in ignored
    ]
    return [row for row in rows if len(set(map(str, row["values"].values()))) > 1]
