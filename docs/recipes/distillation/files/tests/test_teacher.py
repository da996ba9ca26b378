"""The teacher speaks in training, and leaves no trace in a checkpoint."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from myproj.base.errors import CheckpointError
from myproj.engine import checkpoint
from myproj.engine.trainer import Trainer

New = Callable[..., Trainer]


@pytest.fixture
def teacher(new_trainer: New, tmp_path: Path) -> Path:
    """A checkpoint of a larger model after a few steps."""
    trainer = new_trainer(width=40, seed=1)
    for batch in trainer.batches():
        trainer.step(batch)
    checkpoint.save(tmp_path, trainer.state_dict(), best=False)
    return tmp_path / "last.pt"


def test_the_loss_is_shared_between_labels_and_teacher(new_trainer: New, teacher: Path) -> None:
    losses = {}
    for weight in (0.0, 0.25, 1.0):
        trainer = new_trainer(teacher=teacher, teacher_weight=weight)
        batch = next(trainer.batches())
        losses[weight] = trainer.module(batch.inputs, batch.targets)[0].item()
    assert losses[0.0] == new_trainer().module(batch.inputs, batch.targets)[0].item()
    assert losses[0.25] == pytest.approx(0.75 * losses[0.0] + 0.25 * losses[1.0])
    scores = torch.randn(4, 3)
    assert trainer.task.distance(scores, scores).item() == pytest.approx(0, abs=1e-6)
    assert trainer.task.distance(scores, -scores) > 0


def test_a_teacher_is_neither_saved_nor_trained_nor_evaluated(
    new_trainer: New, teacher: Path
) -> None:
    trainer, plain = new_trainer(teacher=teacher), new_trainer()
    assert trainer.model.state_dict().keys() == plain.model.state_dict().keys()
    before = {name: tensor.clone() for name, tensor in own(trainer).items()}
    assert trainer.evaluate() == plain.evaluate()
    trainer.step(next(trainer.batches()))
    assert all(torch.equal(tensor, before[name]) for name, tensor in own(trainer).items())


def own(trainer: Trainer) -> dict[str, torch.Tensor]:
    return trainer.model.teacher[0].state_dict()


def test_what_cannot_teach_is_refused(new_trainer: New, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="is no model of this project"):
        new_trainer(teacher=tmp_path / "nothing.pt")
