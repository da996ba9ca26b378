"""A trained model is loaded as its run left it."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from toy.base.errors import CheckpointError, DataError
from toy.data.loader import BatchDataset, EvalSampler, make_loader
from toy.engine import checkpoint
from toy.engine.trained import TrainedModel, load_trained, open_data
from toy.engine.trainer import evaluate
from toys import CPU, only_rank, read_checkpoint, read_lines, train_here, write_data


@pytest.fixture(scope="module", params=[0.0, 0.9], ids=["plain", "averaged"])
def run_dir(
    request: pytest.FixtureRequest, toy_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert train_here(toy_data, folder, ema_decay=request.param) == 0
    return folder


def measure(trained: TrainedModel) -> dict[str, float]:
    data = open_data(trained, None, "val")
    loader = make_loader(BatchDataset(data), EvalSampler(len(data), 8), workers=0, device=CPU)
    return evaluate(trained.module, loader, trained.config, CPU)


def test_a_checkpoint_gives_what_training_measured(run_dir: Path) -> None:
    logged = read_lines(run_dir)[-1]
    with only_rank():
        trained = load_trained(run_dir / "checkpoints" / "last.pt", CPU)
        found = measure(trained)
    assert found == {name: logged[name] for name in found}


def test_a_run_s_folder_gives_its_best_epoch(run_dir: Path) -> None:
    trained = load_trained(run_dir, CPU)
    state = read_checkpoint(run_dir, "best.pt")
    weights = state["ema"] or state["model"]
    for name, value in trained.model.state_dict().items():
        assert torch.equal(value, weights[name]), name
    offset = (state["ema_task"] or state["task"])["offset"]
    assert torch.equal(trained.task.offset, offset)
    with only_rank():
        trained = load_trained(run_dir, CPU)
        assert measure(trained)["distance"] == state["progress"]["best"]


def test_it_is_in_evaluation_mode_and_knows_its_run(run_dir: Path, toy_data: Path) -> None:
    trained = load_trained(run_dir, CPU)
    assert not any(module.training for module in trained.module.modules())
    assert trained.module.model is trained.model and trained.module.task is trained.task
    assert (trained.config.batch_size, trained.config.data_dir) == (8, toy_data)
    assert (trained.info.samples, trained.info.shape) == (48, (6,))
    assert trained.device == CPU


def test_it_predicts_what_the_task_makes_of_the_outputs(run_dir: Path, toy_data: Path) -> None:
    trained = load_trained(run_dir, CPU)
    data = open_data(trained, None, "val")
    inputs = torch.from_numpy(data.read(np.arange(5)))
    found = trained.predict(inputs)
    with torch.no_grad():
        assert torch.equal(found, trained.model(inputs) + trained.task.offset)
    assert not found.requires_grad


def change(run_dir: Path, folder: Path, **parts: object) -> Path:
    """A copy of the run whose best.pt has other parts."""
    shutil.copytree(run_dir, folder)
    state = read_checkpoint(folder, "best.pt")
    for name, part in parts.items():
        state[name] = state[name] | part
    checkpoint.save(folder / "checkpoints", state, best=True)
    return folder


def test_a_checkpoint_of_another_model_is_refused(run_dir: Path, tmp_path: Path) -> None:
    weights = {"head.weight": torch.zeros(3, 8)}
    state = read_checkpoint(run_dir, "best.pt")
    part = "ema" if state["ema"] else "model"
    folder = change(run_dir, tmp_path / "run", **{part: weights})
    with pytest.raises(CheckpointError, match=r"another model.*head\.weight"):
        load_trained(folder, CPU)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"best\.pt cannot be read"):
        load_trained(tmp_path, CPU)


def test_data_of_other_classes_is_refused_by_name(run_dir: Path, tmp_path: Path) -> None:
    folder = change(run_dir, tmp_path / "run", dataset={"classes": ["one", "three"]})
    trained = load_trained(folder, CPU)
    with pytest.raises(DataError, match=r"other classes.*\['three', 'two'\]"):
        open_data(trained, None, "val")


def test_data_can_be_elsewhere(run_dir: Path, tmp_path: Path) -> None:
    trained = load_trained(run_dir, CPU)
    assert len(open_data(trained, write_data(tmp_path / "data", val=7), "val")) == 7
    assert len(open_data(trained, None, "train")) == 48
    with pytest.raises(DataError, match="nowhere"):
        open_data(trained, tmp_path / "nowhere", "val")
