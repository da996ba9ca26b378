"""The settings of the machinery do what they say, where no other test shows it."""

import math
import multiprocessing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from toy.base.cli import Settings
from toy.base.device import pick_device
from toy.base.errors import FlagError
from toy.config import Config
from toy.data.reader import Reader
from toy.evaluate import EvaluateConfig
from toy.predict import PredictConfig
from toys import (
    DELAY,
    STEPS,
    make_trainer,
    only_rank,
    read_checkpoint,
    read_lines,
    train_here,
    write_data,
)


def test_seed_fixes_the_order_and_the_augmentation(toy_data: Path) -> None:
    with only_rank():
        first, again, other = (
            [
                (batch.indices.tolist(), batch.inputs.tolist())
                for batch in make_trainer(toy_data, seed=seed).batches()
            ]
            for seed in (3, 3, 4)
        )
    assert first == again
    assert [indices for indices, _ in first] != [indices for indices, _ in other]
    drawn = [dict(zip(sum_up(run, 0), sum_up(run, 1), strict=True)) for run in (first, other)]
    assert drawn[0] != drawn[1], "the same sample is augmented the same with each seed"


def sum_up(batches: list[Any], part: int) -> list[Any]:
    """The samples of all batches."""
    return [sample for batch in batches for sample in batch[part]]


def test_batch_size_counts_the_samples_of_a_step(toy_data: Path) -> None:
    with only_rank():
        for size in (4, 16):
            trainer = make_trainer(toy_data, batch_size=size)
            assert [len(batch.targets) for batch in trainer.batches()] == [size] * (48 // size)


def test_num_workers_is_the_number_of_loading_processes(toy_data: Path) -> None:
    others = set(multiprocessing.active_children())
    with only_rank():
        for count in (0, 2):
            trainer = make_trainer(toy_data, num_workers=count)
            assert trainer.train_loader.num_workers == trainer.val_loader.num_workers == count
            next(trainer.batches())
            trainer.evaluate()
            trainer.close()
            assert set(multiprocessing.active_children()) <= others, "workers are left"


def test_cache_reads_each_sample_once(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = Reader.read

    def count(reader: Reader, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        reads.extend(indices.tolist())
        return read(reader, indices, fit)

    monkeypatch.setattr(Reader, "read", count)
    found = {}
    with only_rank():
        for cache in ("none", "memory"):
            reads.clear()
            trainer = make_trainer(toy_data, cache=cache)
            assert trainer.train_loader.num_workers == 0
            started = len(reads)
            for epoch in range(2):
                trainer.progress.epoch = epoch
                trainer.progress.step = STEPS * epoch
                assert len(list(trainer.batches())) == STEPS
                trainer.evaluate()
            found[cache] = len(reads) - started
    assert found == {"none": 2 * (48 + 15), "memory": 0}


def test_compile_compiles_the_model(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[torch.nn.Module] = []
    monkeypatch.setattr(torch.nn.Module, "compile", lambda module: compiled.append(module))
    with only_rank():
        for asked in (False, True):
            module = make_trainer(toy_data, compile=asked).module
            assert compiled == [module] * asked


@pytest.mark.parametrize(("every", "step"), [("4", 4), ("2h", None)])
def test_checkpoint_every_saves_within_an_epoch(
    toy_data: Path, tmp_path: Path, every: str, step: int | None
) -> None:
    assert train_here(toy_data, tmp_path, epochs=1, checkpoint_every=every) == 0
    assert (tmp_path / "checkpoints" / "previous.pt").exists() == (step is not None)
    if step:
        assert read_checkpoint(tmp_path, "previous.pt")["progress"]["step"] == step + DELAY


def test_a_time_between_checkpoints_counts_from_the_last_one(
    toy_data: Path, tmp_path: Path
) -> None:
    assert train_here(toy_data, tmp_path, epochs=1, checkpoint_every="0.000001s") == 0
    step = read_checkpoint(tmp_path, "previous.pt")["progress"]["step"]
    assert step >= STEPS - 1 - DELAY, "a time of nothing saves after each step"


def test_log_every_gives_the_loss_of_each_such_step(toy_data: Path, tmp_path: Path) -> None:
    losses = {}
    for every in (1, 3):
        assert train_here(toy_data, tmp_path / str(every), log_every=every) == 0
        lines = read_lines(tmp_path / str(every), "steps.jsonl")
        losses[every] = [line["loss"] for line in lines]
        assert [line["step"] for line in lines] == list(range(every, 13, every))
    assert losses[3] == losses[1][2::3]


def test_deterministic_asks_torch_for_it(
    toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(torch, "use_deterministic_algorithms", asked.append)
    for each in (True, False):
        train_here(toy_data, tmp_path / str(each), epochs=1, deterministic=each)
    assert asked == [True, False]


def test_a_device_that_is_not_there_is_refused(toy_data: Path, tmp_path: Path) -> None:
    with pytest.raises(FlagError, match="--device nonsense"):
        train_here(toy_data, tmp_path / "run", device="nonsense")
    assert not (tmp_path / "run" / "config.json").exists()


@pytest.mark.parametrize(
    ("count", "name", "found"),
    [
        *[(0, "auto", "cpu"), (0, "cpu:0", "cpu:0"), (0, "cpu:1", None), (0, "cuda", None)],
        *[(2, "auto", "cuda"), (2, "cuda:1", "cuda:1"), (2, "cuda:2", None), (2, "mps", None)],
    ],
)
def test_the_device_is_one_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, count: int, name: str, found: str | None
) -> None:
    def current(*, check_available: bool) -> torch.device | None:
        return torch.device("cuda") if check_available and count else None

    monkeypatch.setattr(torch.accelerator, "current_accelerator", current)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)
    if found:
        assert pick_device(name) == torch.device(found)
    else:
        with pytest.raises(FlagError, match=f"--device {name}: this machine has"):
            pick_device(name)


def test_data_dir_is_where_the_data_is(tmp_path: Path) -> None:
    with only_rank():
        trainer = make_trainer(write_data(tmp_path / "data", train=16, val=3))
    assert (trainer.info.samples, len(trainer.val_data)) == (16, 3)


# values that are taken, and values that are refused
BOUNDS: dict[str, tuple[list[Any], list[Any]]] = {
    "epochs batch_size accumulate log_every": ([1], [0]),
    "image_size max_samples max_steps patience": ([None, 1], [0]),
    "warmup_epochs weight_decay clip_norm num_workers": ([0], [-1, math.inf]),
    "label_smoothing ema_decay": ([0, 0.99], [-0.01, 1]),
    "lr": ([1e-9, 10], [0, math.inf]),
    "seed": ([0, 2**63 - 1], [-1, 2**63]),
    "checkpoint_every": (["1", "5m"], ["0", "0m", "m"]),
}


@pytest.mark.parametrize("names", BOUNDS)
def test_settings_have_bounds(names: str) -> None:
    good, bad = BOUNDS[names]
    for name in names.split():
        assert [getattr(Config(**{name: value}), name) for value in good] == good
        for value in bad:
            with pytest.raises(FlagError, match=f"--{name.replace('_', '-')}"):
                Config(**{name: value})
    assert Config(batch_size=4, accumulate=4).accumulate == 4
    with pytest.raises(FlagError, match="--batch-size"):
        Config(batch_size=3, accumulate=4)


def test_each_group_of_settings_checks_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Settings] = []
    monkeypatch.setattr(Settings, "__post_init__", lambda settings: checked.append(settings))
    config = Config()
    assert checked == [config], "a group does not call the next one's __post_init__"


def test_the_other_commands_check_their_bounds() -> None:
    run, image = Path("runs/first"), (Path("a.png"),)
    assert PredictConfig(run, image, batch_size=1).batch_size == 1
    assert EvaluateConfig(run, max_samples=1, num_workers=0).max_samples == 1
    for config, flag, value in (
        (partial(PredictConfig, run, image), "batch_size", 0),
        (partial(EvaluateConfig, run), "max_samples", 0),
        (partial(EvaluateConfig, run), "num_workers", -1),
    ):
        with pytest.raises(FlagError, match=f"--{flag.replace('_', '-')} must be at least"):
            config(**{flag: value})
    with pytest.raises(FlagError, match="give image files"):
        PredictConfig(run, ())
