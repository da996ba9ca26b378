"""What a sweep has found: a table, the best settings as a file, plots."""

import json
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from ..base.errors import PACKAGE
from ..base.values import Plain, shown
from ..task import Task
from .space import as_flags

if TYPE_CHECKING:
    import optuna


def summarize(folder: Path, study: "optuna.Study", names: list[str]) -> int:
    """Print and write what was found; returns 1 where no trial has ended well."""
    import optuna

    done = study.get_trials(states=(optuna.trial.TrialState.COMPLETE,))
    if not done:
        print("no trial has ended well")
        return 1
    done.sort(key=lambda trial: trial.value or 0.0, reverse=Task.higher_is_better)
    rows: list[Plain] = [
        {"trial": trial.number, Task.best: trial.value} | trial.params for trial in done
    ]
    (folder / "trials.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    best = dict(word.split("=", 1) for word in study.user_attrs["set"]) | done[0].params
    lines = [f"{name} = {in_toml(value)}\n" for name, value in best.items()]
    (folder / "best.toml").write_text("".join(lines), encoding="utf-8")
    if "seed" in names:
        print("\n".join(over_seeds(rows)))
    draw(folder, study)
    print(
        f"best: {Task.best} {shown(rows[0][Task.best])} in trial {done[0].number}, of {len(done)}"
    )
    print(f"      python -m {PACKAGE}.train {' '.join(as_flags(best))}")
    print(f"      its settings are in {folder / 'best.toml'}, all trials in trials.json")
    return 0


def in_toml(value: Any) -> str:
    """A value as a TOML file holds it; a word that is no number, no truth value, is text."""
    text = str(value)
    if text in ("true", "false"):
        return text
    try:
        float(text)
    except ValueError:
        return json.dumps(text)
    return text


def over_seeds(rows: list[Plain]) -> list[str]:
    """Mean and standard deviation of what differs by its seed alone, the best first."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        rest = {k: v for k, v in row.items() if k not in ("trial", "seed", Task.best)}
        groups.setdefault(" ".join(f"{k} {v}" for k, v in rest.items()), []).append(row[Task.best])
    order = sorted(groups.items(), key=lambda item: fmean(item[1]), reverse=Task.higher_is_better)
    return [
        f"{words or 'all'}: {Task.best} {shown(fmean(values))} "
        f"± {shown(stdev(values) if len(values) > 1 else 0.0)} over {len(values)} seeds"
        for words, values in order
    ]


def draw(folder: Path, study: "optuna.Study") -> None:
    """Plots of how the search went, and of what each setting does."""
    import warnings

    import matplotlib
    import optuna

    matplotlib.use("agg")
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna calls its matplotlib plots experimental
        for name in ("optimization_history", "slice"):
            getattr(optuna.visualization.matplotlib, f"plot_{name}")(study)
            pyplot.savefig(folder / f"{name}.png", dpi=120, bbox_inches="tight")
            pyplot.close("all")
