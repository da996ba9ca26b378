"""Your task: its loss, metrics and words. This file is yours to change."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from myproj.base.errors import DataError, FlagError
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.data.splits import gather_facts, open_splits
from myproj.task import IGNORED, Task, check_data, target_facts

CLASSES = ["background", "cat", "dog", "tree"]
FACTS = Facts(CLASSES, (9, 7, 3), "uint8", 100, [100.0] * 3, [50.0] * 3, "", {})


def draw(samples: int = 12, classes: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    """Outputs and masks that have something to do with each other; some pixels do not count."""
    generator = torch.Generator().manual_seed(0)
    masks = torch.randint(0, classes, (samples, 9, 7), generator=generator, dtype=torch.uint8)
    scores = torch.nn.functional.one_hot(masks.long(), 4).permute(0, 3, 1, 2).float()
    outputs = torch.randn(samples, 4, 9, 7, generator=generator) + 1.5 * scores
    masks[torch.rand(samples, 9, 7, generator=generator) < 0.3] = IGNORED
    masks[samples // 2] = IGNORED
    return outputs, masks


def metrics_of(task: Task, outputs: torch.Tensor, masks: torch.Tensor) -> dict[str, float]:
    """The metrics of samples that came in several batches."""
    parts = [task.sums(o, t) for o, t in zip(outputs.split(5), masks.split(5), strict=True)]
    sums = {name: sum(part[name].double() for part in parts) for name in parts[0]}
    return task.metrics(sums, len(masks))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_the_loss_is_the_mean_over_the_pixels_that_count_and_the_sum_over_samples(
    smoothing: float, training: bool
) -> None:
    outputs, masks = draw()
    task = Task(Config(label_smoothing=smoothing), FACTS).train(training)
    share, expected = smoothing if training else 0.0, 0.0
    for scores, mask in zip(outputs.double().numpy(), masks.numpy(), strict=True):
        logs = scores - np.log(np.exp(scores).sum(axis=0))
        pixels = [
            (1 - share) * logs[mask[place], *place] + share * logs[:, *place].mean()
            for place in np.ndindex(mask.shape)
            if mask[place] != 255
        ]
        expected -= float(np.mean(pixels)) if pixels else 0.0
    assert task.loss(outputs, masks).item() == pytest.approx(expected, rel=1e-5)


def test_pixels_that_do_not_count_have_no_gradient() -> None:
    outputs, masks = draw()
    outputs.requires_grad_()
    Task(Config(label_smoothing=0.1), FACTS).loss(outputs, masks).backward()
    moved = (outputs.grad != 0).any(dim=1)
    assert torch.equal(moved, masks != IGNORED)
    assert outputs.grad.isfinite().all()


@pytest.mark.parametrize("classes", [4, 2])  # of those that are named, as many occur
def test_the_metrics_are_those_of_scikit_learn(classes: int) -> None:
    reference = pytest.importorskip("sklearn.metrics")
    outputs, masks = draw(classes=classes)
    if classes == 2:
        outputs[:, 2:] = -100.0  # nor are the others found
    found = metrics_of(Task(Config(), FACTS), outputs, masks)
    counts = masks.numpy() != 255
    truth, predicted = masks.numpy()[counts], outputs.argmax(dim=1).numpy()[counts]
    iou = reference.jaccard_score(truth, predicted, average="macro")  # of those that occur
    assert found["mean_iou"] == pytest.approx(iou, rel=1e-12)
    assert found["pixel_accuracy"] == pytest.approx(np.mean(truth == predicted), rel=1e-12)


def test_a_class_that_was_found_and_does_not_occur_counts_as_zero() -> None:
    masks = torch.zeros(1, 2, 2, dtype=torch.uint8)
    outputs = torch.zeros(1, 4, 2, 2)
    outputs[0, 0], outputs[0, 2, 0, 0] = 1.0, 2.0
    found = metrics_of(Task(Config(), FACTS), outputs, masks)
    assert found == {"mean_iou": (3 / 4 + 0) / 2, "pixel_accuracy": 3 / 4}


def test_masks_without_a_pixel_that_counts_are_no_error() -> None:
    outputs, masks = draw(4)
    masks[:] = IGNORED
    task = Task(Config(), FACTS)
    assert task.loss(outputs, masks).item() == 0
    assert metrics_of(task, outputs, masks) == {"mean_iou": 0.0, "pixel_accuracy": 0.0}


def test_what_best_follows_is_one_of_the_metrics() -> None:
    task = Task(Config(), FACTS)
    assert task.best in metrics_of(task, *draw())


def test_a_prediction_has_the_share_of_each_class() -> None:
    outputs, _ = draw(2)
    task = Task(Config(), FACTS)
    answer = task.activate(outputs)
    assert torch.allclose(answer.sum(dim=1), torch.ones(2, 9, 7))
    found = answer.numpy().argmax(axis=1)
    for mask, prediction in zip(found, task.predictions(answer), strict=True):
        shares = prediction["shares"]
        expected = np.bincount(mask.ravel(), minlength=4) / 63
        assert shares == pytest.approx(dict(zip(CLASSES, expected, strict=True)))
    said = task.in_words({"shares": {"background": 0.25, "cat": 0.7512, "dog": 0.0}})
    assert said == "cat 75.1%, background 25.0%"


def test_data_that_cannot_be_learned_or_measured_is_refused(image_data: Path) -> None:
    def reader(names: list[str], axes: int = 3) -> SimpleNamespace:
        return SimpleNamespace(classes=names, targets=np.zeros((2,) * axes))

    check_data(reader(CLASSES), reader(CLASSES))
    with pytest.raises(DataError, match="there is one class alone"):
        check_data(reader(CLASSES[:1]), reader(CLASSES[:1]))
    with pytest.raises(DataError, match=r"different classes \(tree, wrong\)"):
        check_data(reader(CLASSES), reader([*CLASSES[:3], "wrong"]))
    with pytest.raises(DataError, match="in another order"):
        check_data(reader(CLASSES), reader(CLASSES[::-1]))
    with pytest.raises(DataError, match="each image has a class here, not a mask"):
        check_data(reader(CLASSES, axes=1), reader(CLASSES, axes=1))
    assert gather_facts(open_splits(image_data, None)[0], target_facts).targets == {}


def check_label_smoothing(data_dir: Path) -> None:
    outputs, masks = draw()
    losses = [Task(Config(label_smoothing=s), FACTS).loss(outputs, masks) for s in (0.0, 0.3)]
    assert not torch.allclose(*losses)


def check_loss(data_dir: Path) -> None:
    Task(Config(loss="cross-entropy"), FACTS)
    for loss in ("focal", "binary", "mse", "huber"):
        with pytest.raises(FlagError, match="masks are learned by --loss cross-entropy"):
            Task(Config(loss=loss), FACTS)


def check_focal_gamma(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="masks are learned by --loss cross-entropy"):
        Task(Config(loss="focal", focal_gamma=1.0), FACTS)


def check_class_weights(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="without --class-weights"):
        Task(Config(class_weights=True), FACTS)
