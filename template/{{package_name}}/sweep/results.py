"""What a sweep has found: the best settings as a file, all trials, plots."""

import json
import warnings
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import optuna

from ..base.files import write_atomic
from ..task import Task
from .space import as_flags

Row = dict[str, Any]


def summarize(folder: Path, study: optuna.Study, package: str) -> int:
    """Print and write the results; returns 1 if no trial has completed."""
    done = study.get_trials(states=(optuna.trial.TrialState.COMPLETE,))
    if not done:
        print("no trial has completed")
        return 1
    done.sort(key=lambda trial: trial.value or 0.0, reverse=Task.higher_is_better)
    rows = [{"trial": trial.number, Task.best: trial.value} | trial.params for trial in done]
    write_atomic(folder / "trials.json", (json.dumps(rows, indent=2) + "\n").encode())
    best = dict(word.split("=", 1) for word in study.user_attrs["set"]) | done[0].params
    lines = [f"{name.replace('-', '_')} = {to_toml(value)}\n" for name, value in best.items()]
    write_atomic(folder / "best.toml", "".join(lines).encode())
    if "seed" in done[0].params:
        print("\n".join(over_seeds(rows)))
    value = rows[0][Task.best]
    print(f"best: {Task.best} {value:#.4g} in trial {done[0].number}, of {len(done)} completed")
    print(f"      python -m {package}.train {' '.join(as_flags(best))}")
    print(f"      or --config {folder / 'best.toml'}; all trials are in trials.json")
    plot(folder, study)
    return 0


def to_toml(value: Any) -> str:
    """A value as TOML has it: what is no number and no truth value is a string."""
    text = str(value)
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        float(text)
    except ValueError:
        return json.dumps(text)
    return text


def over_seeds(rows: list[Row]) -> list[str]:
    """Mean and standard deviation over the seeds of each combination, the best first."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        rest = {k: v for k, v in row.items() if k not in ("trial", "seed", Task.best)}
        groups.setdefault(" ".join(f"{k} {v}" for k, v in rest.items()), []).append(row[Task.best])
    order = sorted(groups.items(), key=lambda item: fmean(item[1]), reverse=Task.higher_is_better)
    return [
        f"{words or 'all'}: {Task.best} {fmean(values):#.4g} "
        f"± {stdev(values) if len(values) > 1 else 0.0:#.4g} over {len(values)} seeds"
        for words, values in order
    ]


def plot(folder: Path, study: optuna.Study) -> None:
    """Plot the course of the search, and the effect of each setting."""
    try:
        import matplotlib
    except ImportError:
        print("no plots: they need pip install matplotlib")
        return
    matplotlib.use("agg")
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna calls its matplotlib plots experimental
        for name in ("optimization_history", "slice"):
            getattr(optuna.visualization.matplotlib, f"plot_{name}")(study)
            pyplot.savefig(folder / f"{name}.png", dpi=120, bbox_inches="tight")
            pyplot.close("all")
