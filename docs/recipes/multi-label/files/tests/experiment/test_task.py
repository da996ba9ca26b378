"""Your task: its loss, metrics and words. This file is yours to change."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from myproj.base.errors import DataError, FlagError
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.task import Task, check_data, target_facts

LABELS = ["left", "middle", "right"]
FACTS = Facts(LABELS, (8, 8, 3), "uint8", 100, [100.0] * 3, [50.0] * 3, "", {})


def draw(samples: int = 200) -> tuple[torch.Tensor, torch.Tensor]:
    """Outputs and targets that have something to do with each other."""
    generator = torch.Generator().manual_seed(0)
    targets = (torch.rand(samples, 3, generator=generator) < 0.3).float()
    return 3 * torch.randn(samples, 3, generator=generator) + 2 * targets, targets


def metrics_of(task: Task, outputs: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
    """The metrics of samples that came in several batches."""
    parts = [task.sums(o, t) for o, t in zip(outputs.split(7), targets.split(7), strict=True)]
    sums = {name: sum(part[name].double() for part in parts) for name in parts[0]}
    return task.metrics(sums, len(targets))


@pytest.mark.parametrize("training", [True, False])
def test_the_loss_is_the_mean_over_labels_smoothed_in_training_alone(training: bool) -> None:
    outputs, targets = draw()
    task = Task(Config(label_smoothing=0.2), FACTS).train(training)
    wanted = targets * 0.8 + 0.1 if training else targets
    shares = outputs.sigmoid()
    terms = wanted * shares.log() + (1 - wanted) * (1 - shares).log()
    assert task.loss(outputs, targets).item() == pytest.approx(
        -terms.mean(1).sum().item(), rel=1e-4
    )


def test_the_metrics_are_those_of_scikit_learn() -> None:
    reference = pytest.importorskip("sklearn.metrics")
    outputs, targets = draw()
    found = metrics_of(Task(Config(), FACTS), outputs, targets)
    truth, predicted = targets.numpy(), (outputs > 0).numpy()
    assert found["macro_f1"] == pytest.approx(reference.f1_score(truth, predicted, average="macro"))
    exact = reference.average_precision_score(truth, outputs.numpy())
    assert found["mean_average_precision"] == pytest.approx(exact, abs=2e-3)
    steps = torch.floor((outputs.clamp(-10, 9.999) + 10) * 50)  # what its sums tell apart
    same = reference.average_precision_score(truth, steps.numpy())
    assert found["mean_average_precision"] == pytest.approx(same, abs=1e-12)


def test_a_label_that_no_sample_has_is_left_out_of_the_mean_precision() -> None:
    outputs, targets = draw()
    targets[:, 1] = 0
    found = metrics_of(Task(Config(), FACTS), outputs, targets)
    kept = [metrics_of(Task(Config(), FACTS), outputs, targets * mask)["mean_average_precision"]
            for mask in (torch.tensor([1.0, 0, 0]), torch.tensor([0, 0, 1.0]))]  # fmt: skip
    assert found["mean_average_precision"] == pytest.approx(sum(kept) / 2)


def test_what_best_follows_is_one_of_the_metrics() -> None:
    task = Task(Config(), FACTS)
    assert task.best in metrics_of(task, *draw())


def test_a_prediction_names_the_labels_and_their_probabilities() -> None:
    task = Task(Config(), FACTS)
    first, second = task.predictions(torch.tensor([[0.9, 0.2, 0.6], [0.1, 0.2, 0.3]]))
    assert first["labels"] == ["left", "right"]
    assert first["probabilities"] == pytest.approx({"left": 0.9, "middle": 0.2, "right": 0.6})
    assert task.in_words(first) == "left (90.0%), right (60.0%)"
    assert task.in_words(second) == "no label"
    outputs, _ = draw()
    assert torch.equal(task.activate(outputs), outputs.sigmoid())


def test_data_that_cannot_be_learned_or_measured_is_refused() -> None:
    def reader(targets: np.ndarray, names: list[str] = LABELS) -> SimpleNamespace:
        return SimpleNamespace(targets=targets, classes=names)

    check_data(reader(np.eye(3)), reader(np.zeros((1, 3))))
    assert target_facts(reader(np.eye(3))) == {"counts": [1.0, 1.0, 1.0]}
    with pytest.raises(DataError, match="each image has a class here, not labels"):
        check_data(reader(np.arange(3)), reader(np.arange(3)))
    with pytest.raises(DataError, match="no image with the label 'right'"):
        check_data(reader(np.eye(3)[:2]), reader(np.eye(3)))
    with pytest.raises(DataError, match=r"different labels \(right, wrong\)"):
        check_data(reader(np.eye(3)), reader(np.eye(3), ["left", "middle", "wrong"]))


def check_label_smoothing(data_dir: Path) -> None:
    outputs, targets = draw()
    losses = [Task(Config(label_smoothing=s), FACTS).loss(outputs, targets) for s in (0.0, 0.3)]
    assert not torch.allclose(*losses)


def check_loss(data_dir: Path) -> None:
    outputs, targets = draw()
    plain = F.binary_cross_entropy_with_logits(outputs, targets, reduction="none").mean(1).sum()
    assert torch.equal(Task(Config(loss="binary"), FACTS).loss(outputs, targets), plain)
    with pytest.raises(FlagError, match="--loss binary alone"):
        Task(Config(loss="focal"), FACTS)


def check_focal_gamma(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="--loss binary alone"):
        Task(Config(loss="focal", focal_gamma=1.0), FACTS)


def check_class_weights(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="without --class-weights"):
        Task(Config(class_weights=True), FACTS)
