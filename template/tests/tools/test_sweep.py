"""A sweep tries what it was asked to, goes on where it stopped, and names the best."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import call

from toy.base.errors import UserError
from toy.tools.found import in_toml, over_seeds
from toy.tools.space import Range, as_flags, read_space
from toy.tools.sweep import SweepConfig, main

COMMON = ("epochs=2", "batch_size=8", "num_workers=0", "device=cpu")


def test_ranges_and_lists_are_read_as_they_are_written() -> None:
    space = read_space(
        ["lr=1e-4..1e-1", "momentum=0..0.5", "batch-size=8..64", "optimizer=adamw,sgd"]
    )
    assert space == {
        "lr": Range(1e-4, 1e-1, whole=False, log=True),
        "momentum": Range(0, 0.5, whole=False, log=False),
        "batch_size": Range(8, 64, whole=True, log=False),
        "optimizer": ["adamw", "sgd"],
    }


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("learning_rate=1..2", "there is no setting learning_rate"),
        ("epoch=1,2", "there is no setting epoch; did you mean epochs?"),
        ("lr", "write NAME=VALUE"),
        ("lr=", "write NAME=VALUE"),
        ("lr=a..b", "a range has numbers as its ends"),
        ("lr=2..1", "the first end of a range is the lower one"),
    ],
)
def test_what_is_neither_is_refused(word: str, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("?", r"\\?")):
        SweepConfig(Path("a"), (word,))


def test_settings_become_flags_and_a_file() -> None:
    settings = {"lr": 0.1, "compile": "yes", "report": "false", "freeze": "stem head"}
    assert as_flags(settings) == [
        "--lr",
        "0.1",
        "--compile",
        "--no-report",
        "--freeze",
        "stem",
        "head",
    ]
    assert [in_toml(value) for value in (0.1, "3", "true", "sgd")] == ["0.1", "3", "true", '"sgd"']


def test_seeds_are_told_by_their_mean_and_spread() -> None:
    rows = [
        {"trial": i, "distance": d, "seed": i, "lr": lr}
        for i, d, lr in ((0, 0.5, 1), (1, 0.7, 1), (2, 0.4, 2))
    ]
    assert over_seeds(rows) == [  # less is better
        "lr 2: distance 0.4000 ± 0.0000 over 1 seeds",
        "lr 1: distance 0.6000 ± 0.1414 over 2 seeds",
    ]


@pytest.mark.slow
def test_a_sweep_tries_each_combination_once_and_goes_on_where_it_stopped(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optuna")
    settings: dict[str, Any] = {"vary": ("seed=0,1", "clip_norm=0.1,1"), "prune": False}
    settings["set"] = (*COMMON, f"data_dir={toy_data}")
    assert call(main, SweepConfig(tmp_path, trials=1, **settings)) == 0
    first = json.loads((tmp_path / "trials.json").read_text())
    assert call(main, SweepConfig(tmp_path, jobs=2, **settings)) == 0
    rows = json.loads((tmp_path / "trials.json").read_text())
    assert first[0] in rows
    assert sorted((row["seed"], row["clip_norm"]) for row in rows) == [
        *(("0", "0.1"), ("0", "1"), ("1", "0.1"), ("1", "1"))
    ]
    for row in rows:
        run = tmp_path / f"runs/{row['trial']:04}"
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        config = json.loads((run / "config.json").read_text())
        assert row["distance"] == min(x["distance"] for x in lines if x["split"] == "val")
        assert (str(config["seed"]), config["clip_norm"]) == (row["seed"], float(row["clip_norm"]))
    assert [row["distance"] for row in rows] == sorted(row["distance"] for row in rows)
    best = tomllib.loads((tmp_path / "best.toml").read_text())
    assert (best["seed"], best["epochs"]) == (int(rows[0]["seed"]), 2)
    said = capsys.readouterr().out
    assert "over 2 seeds" in said and f"best: distance {rows[0]['distance']:.4f} in trial" in said
    assert all(
        (tmp_path / f"{name}.png").stat().st_size for name in ("optimization_history", "slice")
    )
    with pytest.raises(UserError, match="is the study of --vary"):
        call(main, SweepConfig(tmp_path, **settings | {"vary": ("seed=0,1",)}))


@pytest.mark.slow
def test_a_trial_that_was_killed_goes_on_and_a_wrong_flag_ends_the_sweep(
    toy_data: Path, tmp_path: Path
) -> None:
    optuna = pytest.importorskip("optuna")
    fixed = (*COMMON, f"data_dir={toy_data}")
    with pytest.raises(UserError, match=r"the trial with .* must be at least 1, not 0"):
        call(main, SweepConfig(tmp_path / "wrong", ("epochs=0,1",), (*fixed[1:],)))
    config = SweepConfig(tmp_path / "a", ("seed=3,4",), fixed, trials=1)
    assert call(main, config) == 0
    record = optuna.storages.journal.JournalFileBackend(str(tmp_path / "a/study.log"))
    study = optuna.load_study(study_name="sweep", storage=optuna.storages.JournalStorage(record))
    trial = study.ask()  # and never told: as when the sweep is killed
    seed = trial.suggest_categorical("seed", ["3", "4"])
    assert call(main, SweepConfig(tmp_path / "a", ("seed=3,4",), fixed, trials=2)) == 0
    again = json.loads((tmp_path / "a/trials.json").read_text())
    assert seed in [row["seed"] for row in again] and len(again) == 2
    assert (tmp_path / f"a/runs/{trial.number:04}/config.json").exists()
