"""Your task: its loss, metrics and words. This file is yours to change."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from myproj.augment import Augmentation
from myproj.base.errors import DataError, FlagError
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.data.splits import gather_facts, open_splits
from myproj.task import Task, check_data, metric_names, target_facts

COLUMNS = ["angle [deg]", "price", "share [%]"]
MEAN, STD = [100.0, 2e5, -0.01], [30.0, 10.0, 0.002]  # of other sizes, and some far from zero
FACTS = Facts(
    *(COLUMNS, (8, 8, 3), "uint8", 100, [100.0] * 3, [50.0] * 3, ""),
    {"mean": MEAN, "std": STD},
)
ONE = FACTS._replace(classes=COLUMNS[:1], targets={"mean": MEAN[:1], "std": STD[:1]})


def draw(samples: int = 200) -> tuple[torch.Tensor, torch.Tensor]:
    """Outputs and targets that have something to do with each other."""
    random = np.random.default_rng(0)
    outputs = random.normal(size=(samples, 3))
    truth = 0.7 * outputs + random.normal(0.2, 0.5, (samples, 3))
    return torch.from_numpy(outputs).float(), torch.from_numpy(truth * STD + MEAN).float()


def metrics_of(task: Task, outputs: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
    """The metrics of samples that came in several batches."""
    parts = [task.sums(o, t) for o, t in zip(outputs.split(7), targets.split(7), strict=True)]
    sums = {name: sum(part[name].double() for part in parts) for name in parts[0]}
    return task.metrics(sums, len(targets))


@pytest.mark.parametrize("training", [True, False])
def test_the_loss_is_the_squared_error_in_deviations_of_the_data(training: bool) -> None:
    outputs, targets = draw()
    task = Task(Config(), FACTS).train(training)
    error = outputs.double().numpy() - (targets.double().numpy() - MEAN) / STD
    expected = (error**2).mean(axis=1).sum()
    assert task.loss(outputs, targets).item() == pytest.approx(expected, rel=1e-4)
    pairs = outputs.split(9), targets.split(9)
    parts = [task.loss(o, t).item() for o, t in zip(*pairs, strict=True)]
    assert sum(parts) == pytest.approx(task.loss(outputs, targets).item(), rel=1e-6)


def test_the_metrics_are_those_of_scikit_learn() -> None:
    reference = pytest.importorskip("sklearn.metrics")
    outputs, targets = draw()
    task = Task(Config(), FACTS)
    found = metrics_of(task, outputs, targets)
    truth, predicted = targets.double().numpy(), outputs.double().numpy() * STD + MEAN
    names = ["angle_deg", "price", "share"]
    errors = reference.mean_absolute_error(truth, predicted, multioutput="raw_values")
    assert [found[f"mae_{name}"] for name in names] == pytest.approx(errors, rel=1e-5)
    r2 = reference.r2_score(truth, predicted, multioutput="raw_values")
    assert [found[f"r2_{name}"] for name in names] == pytest.approx(r2, rel=1e-5)
    assert found["r2"] == pytest.approx(reference.r2_score(truth, predicted), rel=1e-5)
    assert set(found) == {f"{what}_{name}" for what in ("mae", "r2") for name in names} | {"r2"}
    alone = metrics_of(Task(Config(), ONE), outputs[:, :1], targets[:, :1])
    assert alone == {"mae": found["mae_angle_deg"], "r2": found["r2_angle_deg"]}


def test_numbers_far_from_zero_cost_no_digits() -> None:
    """As R2 = 1 - errors / (squares - mean square) would, of two numbers of 4e10 each."""
    reference = pytest.importorskip("sklearn.metrics")
    outputs, targets = draw()
    found = metrics_of(Task(Config(), FACTS), outputs, targets)["r2_price"]
    predicted = outputs[:, 1].double() * STD[1] + MEAN[1]
    assert found == pytest.approx(reference.r2_score(targets[:, 1].double(), predicted), abs=1e-5)


def test_where_nothing_varies_r2_is_one_without_an_error_and_else_zero() -> None:
    reference = pytest.importorskip("sklearn.metrics")
    targets = torch.full((12, 3), 0.0) + torch.tensor([130.0, 2e5, -0.01])
    exact = Task(Config(), FACTS).normalized(targets)
    for outputs in (exact, exact + torch.tensor([0.0, 0.5, 0.0])):
        found = metrics_of(Task(Config(), FACTS), outputs, targets)
        expected = reference.r2_score(exact, outputs, multioutput="raw_values")
        assert [found[f"r2_{name}"] for name in ("angle_deg", "price", "share")] == list(expected)


def test_what_best_follows_is_one_of_the_metrics() -> None:
    outputs, targets = draw()
    assert Task.best in metrics_of(Task(Config(), FACTS), outputs, targets)
    assert Task.best in metrics_of(Task(Config(), ONE), outputs[:, :1], targets[:, :1])


def test_a_metric_is_named_by_its_column_as_far_as_trackers_allow_it() -> None:
    assert metric_names(["angle [deg]", "größe/mm", "x"]) == ["angle_deg", "größe_mm", "x"]
    assert metric_names(["x+", "x-"]) == metric_names(["%", "x"]) == ["1", "2"]


def test_a_prediction_has_the_numbers_in_their_units() -> None:
    outputs, targets = draw()
    task = Task(Config(), FACTS)
    found = task.activate(outputs)
    assert torch.allclose(task.normalized(found), outputs, atol=2e-3)
    assert torch.allclose(task.activate(task.normalized(targets)), targets)
    first, second = task.predictions(found[:2])
    assert first == {"values": dict(zip(COLUMNS, found[0].tolist(), strict=True))}
    assert second != first
    values = {"angle [deg]": -12.3456789, "price": 200010.5, "share [%]": 0.0}
    assert task.in_words({"values": values}) == "angle -12.346 deg, price 2.0001e+05, share 0 %"


def test_data_that_cannot_be_learned_or_measured_is_refused() -> None:
    def reader(targets: np.ndarray, names: list[str] = COLUMNS[:2]) -> SimpleNamespace:
        return SimpleNamespace(targets=targets.astype(np.float32), classes=names)

    check_data(reader(np.eye(2)), reader(np.zeros((1, 2))))
    with pytest.raises(DataError, match="each image has a class here, not numbers"):
        check_data(reader(np.arange(2)), reader(np.arange(2)))
    with pytest.raises(DataError, match="'price' is the same number for each image to train on"):
        check_data(reader(np.array([[1, 2], [3, 2]])), reader(np.eye(2)))
    with pytest.raises(DataError, match=r"different columns \(price, wrong\)"):
        check_data(reader(np.eye(2)), reader(np.eye(2), ["angle [deg]", "wrong"]))
    with pytest.raises(DataError, match="in another order"):
        check_data(reader(np.eye(2)), reader(np.eye(2), COLUMNS[1::-1]))


def test_the_facts_are_mean_and_deviation_of_the_training_targets(image_data: Path) -> None:
    train, _ = open_splits(image_data, None)
    facts = gather_facts(train, target_facts)
    targets = train.targets.astype(float)
    assert facts.targets["mean"] == pytest.approx(targets.mean(axis=0), rel=1e-12)
    assert facts.targets["std"] == pytest.approx(targets.std(axis=0), rel=1e-12)
    part = SimpleNamespace(targets=np.full((1, 2), 3.0, np.float32))  # as --max-samples 1 has it
    assert target_facts(part) == {"mean": [3.0, 3.0], "std": [1.0, 1.0]}


def test_numbers_are_mixed_with_their_images() -> None:
    images = torch.arange(16, dtype=torch.uint8).view(-1, 1, 1, 1).expand(-1, 8, 8, 3)
    slope, offset = torch.tensor([1.0, 50.0, -2.0]), torch.tensor([0.0, 7.0, 1.0])
    torch.manual_seed(0)
    mixing = Augmentation(Config(mixup=1.0), FACTS)
    mixed, targets = mixing.mix_batch(images, images[:, 0, 0] * slope + offset)
    assert not torch.equal(mixed, images.float())
    assert torch.allclose(targets, mixed[:, 0, 0] * slope + offset, rtol=1e-5)
    assert Task(Config(), FACTS).loss(torch.zeros(16, 3), targets).isfinite()


def check_label_smoothing(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="--label-smoothing need classes, not real numbers"):
        Task(Config(label_smoothing=0.1), FACTS)


def check_loss(data_dir: Path) -> None:
    outputs, targets = draw()
    wanted = Task(Config(), FACTS).normalized(targets)
    assert (outputs - wanted).abs().max() > 1
    for loss, function in (("mse", F.mse_loss), ("huber", F.huber_loss)):
        expected = function(outputs, wanted, reduction="sum") / 3
        assert torch.allclose(Task(Config(loss=loss), FACTS).loss(outputs, targets), expected)


def check_focal_gamma(data_dir: Path) -> None:
    losses = [Task(Config(focal_gamma=gamma), FACTS).loss(*draw()) for gamma in (0.0, 2.0)]
    assert torch.equal(*losses)  # `--loss` offers no focal loss


def check_class_weights(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="--class-weights and --label-smoothing need classes"):
        Task(Config(class_weights=True), FACTS)
