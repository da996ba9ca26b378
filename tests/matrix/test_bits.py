"""The same command gives the same bits, whatever feeds it and whatever happens in between."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .answers import Answers, name_of
from .commands import Project, environment
from .training import copy_of

pytestmark = pytest.mark.smoke

SETS: list[Answers] = [
    {"parallelism": "single", "amp": "off", "data_format": "lmdb", "logger": "none"},
    {"parallelism": "ddp", "amp": "bf16", "data_format": "hdf5", "logger": "none"},
]
FLAGS = ("--epochs", "2", "--batch-size", "8", "--width", "8", "--dropout", "0.2", "--random-flip")
ROUNDING = 0.05  # relative, of an epoch's loss: a compiled model rounds differently at each step
# by name: flags that may not change a bit
HARMLESS: dict[str, tuple[str, ...]] = {
    "again": ("--num-workers", "0"),
    "workers left to the data": (),
    "one worker": ("--num-workers", "1"),
    "four workers": ("--num-workers", "4"),
    "forked": ("--num-workers", "2", "--start-method", "fork"),
    "from a server": ("--num-workers", "2", "--start-method", "forkserver"),
    "spawned": ("--num-workers", "2", "--start-method", "spawn"),
    "saved at each step": ("--num-workers", "0", "--checkpoint-every", "1"),
    "other validation data": ("--num-workers", "0", "--data-dir", "other"),
}
OFTEN = ("again", "workers left to the data", "saved at each step")


def train(project: Project, run_dir: str, *flags: str) -> dict[str, Any]:
    """A small run; returns what it ended with."""
    import torch

    project.run("train", "--run-dir", run_dir, *FLAGS, "--device", "cpu", *flags)
    path = project.folder / run_dir / "checkpoints" / "last.pt"
    state: dict[str, Any] = torch.load(path, weights_only=True)
    return {"model": state["model"], "optimizer": state["optimizer"]["state"]}


# how workers start and what they read is no matter of the answers: often, all of it in one set
@pytest.mark.parametrize(
    ("answers", "harmless"),
    [
        pytest.param(SETS[0], tuple(HARMLESS), id=name_of(SETS[0])),
        pytest.param(SETS[1], OFTEN, id=name_of(SETS[1])),
        pytest.param(
            *(SETS[1], tuple(HARMLESS)),
            id=f"{name_of(SETS[1])}-all",
            marks=pytest.mark.scheduled,
        ),
    ],
)
def test_nothing_harmless_changes_a_bit(
    answers: Answers,
    harmless: tuple[str, ...],
    trees: dict[str, Path],
    images: Path,
    tmp_path: Path,
) -> None:
    from torch.testing import assert_close

    project = Project(copy_of(trees[name_of(answers)], tmp_path), environment(tmp_path / "home"))
    project.run("prepare", "--source", images)
    # half as many validation images, so that an evaluation takes other batches and other draws
    other = tmp_path / "images"
    shutil.copytree(images, other)
    for path in list((other / "val").rglob("*.png"))[::2]:
        path.unlink()
    project.run("prepare", "--source", other, "--data-dir", "other")
    first = train(project, "first", "--num-workers", "0")
    for name in harmless:
        found = train(project, name, *HARMLESS[name])
        assert_close(found, first, rtol=0, atol=0, msg=lambda text, name=name: f"{name}: {text}")
    harmful = train(project, "seed", "--num-workers", "0", "--seed", "1")
    with pytest.raises(AssertionError):
        assert_close(harmful, first, rtol=0, atol=0)
    if harmless == tuple(HARMLESS):  # nor is that a compiled run repeats itself
        compiled = train(project, "compiled", "--num-workers", "0", "--compile")
        assert_close(train(project, "once more", "--compile"), compiled, rtol=0, atol=0)
        assert loss(project, "compiled") == pytest.approx(loss(project, "first"), rel=ROUNDING)


def loss(project: Project, run_dir: str) -> float:
    """The training loss of a run's first epoch."""
    text = (project.folder / run_dir / "metrics.jsonl").read_text(encoding="utf-8")
    value: float = json.loads(text.splitlines()[0])["loss"]
    return value
