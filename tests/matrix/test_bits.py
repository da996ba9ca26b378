"""The same command gives the same bits, whatever feeds it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .answers import SETS, Answers, name_of, questions
from .commands import Project, environment
from .training import copy_of

pytestmark = pytest.mark.smoke

FLAGS = ("--epochs", "2", "--batch-size", "8", "--width", "8", "--dropout", "0.2", "--random-flip")
FLAGS += ("--ema-decay", "0.5", "--accumulate", "2", "--device", "cpu")
# flags that may not change a bit
HARMLESS = (
    ("--num-workers", "2"),
    ("--cache", "memory", "--num-workers", "0"),
    ("--num-workers", "0", "--checkpoint-every", "1", "--log-every", "1"),
)


def set_with(**answers: str) -> Answers:
    """The default set but for these answers."""
    return next(a for a in SETS if a == SETS[0] | {"logger": "none"} | answers)


def weights(project: Project, run_dir: str, *flags: str, processes: int = 0) -> dict[str, Any]:
    """Train a little; returns the last checkpoint's tensors."""
    import torch

    project.run("train", "--run-dir", run_dir, *FLAGS, *flags, processes=processes)
    path = project.folder / run_dir / "checkpoints" / "last.pt"
    state: dict[str, Any] = torch.load(path, weights_only=True)
    return {name: state[name] for name in ("model", "ema")} | state["optimizer"]["state"]


def prepared(answers: Answers, trees: Mapping[str, Path], images: Path, folder: Path) -> Project:
    """A project with data."""
    project = Project(copy_of(trees[name_of(answers)], folder), environment(folder / "home"))
    project.run("prepare", "--source", images)
    return project


@pytest.fixture(scope="module")
def first(
    trees: Mapping[str, Path], images: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The tensors of the default set, by one process without workers."""
    folder = tmp_path_factory.mktemp("first")
    project = prepared(set_with(), trees, images, folder)
    return weights(project, "run", "--num-workers", "0")


@pytest.mark.parametrize("data_format", questions()["data_format"])
def test_formats_workers_and_caches_change_no_bit(
    data_format: str, first: dict[str, Any], trees: Mapping[str, Path], images: Path, tmp_path: Path
) -> None:
    from torch.testing import assert_close

    project = prepared(set_with(data_format=data_format), trees, images, tmp_path)
    chosen = HARMLESS if data_format == "imagefolder" else HARMLESS[:1]
    for number, flags in enumerate(chosen):
        assert_close(weights(project, str(number), *flags), first, rtol=0, atol=0)
    other = weights(project, "another", "--num-workers", "0", "--seed", "1")
    with pytest.raises(AssertionError):
        assert_close(other, first, rtol=0, atol=0)


@pytest.mark.parametrize(("parallelism", "processes"), [("ddp", 0), ("ddp", 1)])
def test_one_rank_gives_the_bits_of_one_process(
    parallelism: str,
    processes: int,
    first: dict[str, Any],
    trees: Mapping[str, Path],
    images: Path,
    tmp_path: Path,
) -> None:
    from torch.testing import assert_close

    project = prepared(set_with(parallelism=parallelism), trees, images, tmp_path)
    found = weights(project, "run", "--num-workers", "0", processes=processes)
    assert_close(found, first, rtol=0, atol=0)
