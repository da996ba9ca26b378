"""A run that learns from a teacher, in `engine/teacher.py`. This file is yours to change."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from json import loads
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from conftest import CPU, SETTINGS, assert_same_run, call, differences, read_metrics, train_as
from drawn import draw_tree

from myproj import evaluate, export, predict, train
from myproj.base.errors import CheckpointError, FlagError
from myproj.config import Config
from myproj.engine.forward import forward
from myproj.engine.trained import load_trained
from myproj.engine.trainer import Trainer
from myproj.prepare import PrepareConfig, main

# what a resume has to bring back is on
STUDENT = {"width": 8, "ema_decay": 0.9, "accumulate": 2, "dropout": 0.2, "checkpoint_every": "5"}


def train_here(data_dir: Path, run_dir: Path, **settings: Any) -> Path:
    """Train with a small run's settings and these; returns the run's folder."""
    config = Config(data_dir=data_dir, run_dir=run_dir, **SETTINGS | settings)
    assert train_as(config, train.main) == 0
    return run_dir


@pytest.fixture(scope="module")
def teacher(image_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a model that is wider than the others, with batch norms that have seen data."""
    return train_here(image_data, tmp_path_factory.mktemp("teacher") / "run", width=16, dropout=0.5)


@pytest.fixture(scope="module")
def student(image_data: Path, teacher: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a smaller model that learned from a copy of it, which is gone."""
    folder = tmp_path_factory.mktemp("student")
    with copied(teacher, folder / "teacher") as copy:
        return train_here(image_data, folder / "run", teacher=copy, **STUDENT)


@contextmanager
def copied(teacher: Path, copy: Path) -> Iterator[Path]:
    """For a while there is a copy of a run."""
    shutil.copytree(teacher, copy)
    try:
        yield copy
    finally:
        shutil.rmtree(copy)


def test_the_scores_are_the_teachers_own_for_the_images_that_the_model_sees(
    image_data: Path, teacher: Path
) -> None:
    settings = {"mixup": 0.4, "erasing": 1.0, "random_flip": True}
    trainer = Trainer(
        Config(data_dir=image_data, teacher=teacher, **SETTINGS | STUDENT | settings), CPU
    )
    batch = next(trainer.batches())
    mixed, taught = trainer.mixed(batch), trainer.teacher
    trainer.teacher = None
    inputs, shares, _ = trainer.mixed(batch)  # by the same draws
    trainer.teacher = taught
    reference = load_trained(teacher, CPU).model.eval()
    with torch.no_grad():
        scores = forward(reference, inputs)
    assert torch.equal(mixed.inputs, inputs)
    assert torch.equal(mixed.targets, torch.stack([shares, scores], dim=1))
    trainer.augmentation = type(trainer.augmentation)(Config(), trainer.facts)
    one_hot = F.one_hot(batch.targets, 3).float()
    assert torch.equal(trainer.mixed(batch).targets[:, 0], one_hot)


def test_steps_leave_the_teacher_as_it_was_and_out_of_the_model(
    image_data: Path, teacher: Path, student: Path
) -> None:
    plain = Trainer(Config(data_dir=image_data, **SETTINGS | STUDENT), CPU).state
    saved = torch.load(student / "checkpoints" / "last.pt", weights_only=True)
    assert saved["model"].keys() == saved["average"].keys() == plain.model.state_dict().keys()
    grouped = [len(group["params"]) for group in saved["optimizer"]["param_groups"]]
    assert grouped == [len(group["params"]) for group in plain.optimizer.param_groups]
    taught = Trainer(Config(data_dir=image_data, teacher=teacher, **SETTINGS), CPU)
    assert taught.teacher is not None
    before = {name: value.clone() for name, value in taught.teacher.model.state_dict().items()}
    taught.state.model.train()
    for batch in taught.batches():
        taught.mixed(batch)
    after = taught.teacher.model.state_dict()
    assert all(torch.equal(after[name], value) for name, value in before.items())
    held = {id(parameter) for parameter in taught.state.model.parameters()}
    assert not held & {id(parameter) for parameter in taught.teacher.model.parameters()}


def test_what_is_learned_differs_with_the_teacher(
    image_data: Path, student: Path, tmp_path: Path
) -> None:
    alone = train_here(image_data, tmp_path / "alone", **STUDENT)
    runs = (alone, student)
    a, b = (torch.load(run / "checkpoints" / "last.pt", weights_only=True) for run in runs)
    assert differences(a["model"], b["model"])


def test_a_model_is_used_without_its_teacher(
    image_data: Path, student: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = student / "checkpoints" / "last.pt"
    asked = evaluate.EvaluateConfig(last, num_workers=0, device="cpu", json=True)
    assert call(evaluate.main, asked) == 0
    found, logged = loads(capsys.readouterr().out), read_metrics(student)[-1]
    assert (found["loss"], found["accuracy"]) == (logged["loss"], logged["accuracy"])
    images = image_data.parent / "source" / "val"
    assert call(predict.main, predict.PredictConfig(student, (images,), device="cpu")) == 0


@pytest.mark.slow
def test_a_model_is_exported_without_its_teacher(student: Path, tmp_path: Path) -> None:
    call(export.main, export.ExportConfig(student, tmp_path / "model.pt2"))
    assert (tmp_path / "model.pt2").is_file()


def test_a_stopped_run_resumes_to_the_same_bits(
    image_data: Path, teacher: Path, student: Path, tmp_path: Path
) -> None:
    stopped = Path(shutil.copytree(student, tmp_path / "stopped"))
    folder = stopped / "checkpoints"
    (folder / "previous.pt").replace(folder / "last.pt")  # of the middle of an epoch
    assert torch.load(folder / "last.pt", weights_only=True)["progress"]["step"] == 10
    flags = {"teacher": student.parent / "teacher", "resume": True, **STUDENT}
    with pytest.raises(CheckpointError, match=r"^--teacher: .*teacher cannot be read"):
        train_here(image_data, stopped, **flags)
    with copied(teacher, student.parent / "teacher"):
        train_here(image_data, stopped, **flags)
    assert_same_run(stopped, student)


def test_a_resume_with_another_teacher_is_refused(
    image_data: Path, teacher: Path, student: Path, tmp_path: Path
) -> None:
    stopped = shutil.copytree(student, tmp_path / "stopped")
    other = train_here(image_data, tmp_path / "other", width=16, epochs=1, seed=1)
    flags = {"teacher": student.parent / "teacher", "resume": True, **STUDENT}
    with (
        copied(other, student.parent / "teacher"),
        pytest.raises(CheckpointError, match="cannot be resumed: the teacher was"),
    ):
        train_here(image_data, stopped, **flags)
    with pytest.raises(FlagError, match="cannot be resumed with other settings: --teacher "):
        train_here(image_data, stopped, **flags | {"teacher": teacher})


def test_a_teacher_of_another_kind_is_refused(
    image_data: Path, teacher: Path, tmp_path: Path
) -> None:
    def refused(**settings: Any) -> str:
        with pytest.raises(FlagError) as error:
            Trainer(Config(teacher=teacher, **{"data_dir": image_data} | SETTINGS | settings), CPU)
        return str(error.value)

    known = f"--teacher {teacher} knows 3 classes of uint8 (12, 12, 3), not the 3 of uint8 "
    assert refused(image_size=9) == f"{known}(9, 9, 3) that the data has"
    draw_tree(tmp_path / "source")
    for split in ("train", "val"):
        (tmp_path / "source" / split / "left").rename(tmp_path / "source" / split / "west")
    main(PrepareConfig(source=tmp_path / "source", data_dir=tmp_path / "data"))
    said = refused(data_dir=tmp_path / "data")
    assert said == f"{known}(12, 12, 3) that the data has; only one of them has left, west"
    teacher = train_here(image_data, tmp_path / "binary", loss="binary", epochs=1)
    assert "its scores are not those of a softmax" in refused()
