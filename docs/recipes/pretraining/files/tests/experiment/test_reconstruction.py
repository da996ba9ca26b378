"""Pretraining by --objective reconstruct, and what comes after. This file is yours to change."""

import shutil
from json import loads
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import CPU, SETTINGS, assert_same_run, call, read_metrics, train_as
from drawn import draw_tree
from torch import nn

from myproj import evaluate, export, predict, train
from myproj.augment import Augmentation
from myproj.base.errors import FlagError
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.engine.build import build
from myproj.engine.trainer import Trainer
from myproj.prepare import PrepareConfig, main
from myproj.task import Task

FACTS = Facts(["a", "b"], (10, 7, 3), "uint8", 48, [127.0] * 3, [60.0] * 3, "", {})
HIDDEN = 3  # of the 3 x 2 patches of such an image, by default


def config_of(**settings: Any) -> Config:
    return Config(**{"objective": "reconstruct", "width": 4} | settings)


def model_of(shape: tuple[int, ...] = FACTS.shape, **settings: Any) -> nn.Module:
    """A new model, whose reconstructions are of the size of the images."""
    torch.manual_seed(0)
    model = build(config_of(**settings), FACTS._replace(shape=shape), CPU, fresh=True)
    for name, parameter in model.named_parameters():
        if name.endswith("norm2.weight") or name == "decoder.weight":
            nn.init.normal_(parameter)  # at first blocks are their shortcuts, and all is gray
    return model


def draw_images(count: int, shape: tuple[int, ...] = FACTS.shape, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, *shape), dtype=np.uint8)


def hidden_of(indices: np.ndarray, epoch: int = 0, **settings: Any) -> np.ndarray:
    """What is hidden of the patches of images of 10 x 7 pixels, (B, 6)."""
    how = Augmentation(config_of(**settings), FACTS)
    return how.draw(indices, epoch, FACTS.shape)[:, 3:]


def spread(hidden: np.ndarray) -> np.ndarray:
    """The same of pixels, patches of 4 x 4 that the image's end cuts off: (B, 10, 7)."""
    places = np.arange(10)[:, None] // 4 * 2 + np.arange(7) // 4
    return hidden[:, places]


def test_what_is_hidden_follows_from_the_seed_the_epoch_and_the_sample_alone() -> None:
    cases = [hidden_of(np.arange(60), epoch, seed=seed) for seed in (0, 1) for epoch in (0, 1)]
    for number, one in enumerate(cases):
        assert len(np.unique(one, axis=0)) > 10
        assert not any(np.array_equal(one, other) for other in cases[:number])
    for part in (np.array([7]), np.array([19, 3, 8])):
        assert np.array_equal(hidden_of(part), cases[0][part])


@pytest.mark.parametrize(("mask_ratio", "count"), [(0.2, 1), (0.5, HIDDEN), (0.8, 5)])
def test_each_patch_is_hidden_in_the_same_share_of_the_images(
    mask_ratio: float, count: int
) -> None:
    hidden = hidden_of(np.arange(3000), mask_ratio=mask_ratio)
    assert set(hidden.sum(axis=1)) == {count}
    assert hidden.mean(axis=0) == pytest.approx([count / 6] * 6, abs=0.04)  # 4 deviations


def test_images_move_as_they_do_where_classes_are_learned() -> None:
    both = [
        Augmentation(config, FACTS).draw(np.arange(50), 2, FACTS.shape)[:, :3]
        for config in (Config(random_flip=True), config_of(random_flip=True))
    ]
    assert both[0].any() and np.array_equal(*both)


def test_a_device_hides_what_a_worker_does() -> None:
    images, classes = draw_images(40), np.zeros(40, np.int64)
    how = Augmentation(config_of(random_flip=True), FACTS)
    changes = how.draw(np.arange(40), 0, FACTS.shape)
    arrays = (images.copy(), classes.copy(), changes)
    at_once = how.apply_on_device(*map(torch.from_numpy, arrays))
    one_by_one = how.apply(images, classes, changes)
    for found, expected in zip(at_once, one_by_one, strict=True):
        assert np.array_equal(found.numpy(), expected)
    assert np.array_equal(one_by_one[1], changes[:, 3:])


@pytest.mark.parametrize("settings", [{}, {"color": 0.4}, {"erasing": 1.0}])
def test_a_further_channel_says_which_pixels_are_hidden(settings: dict[str, float]) -> None:
    images, hidden = torch.from_numpy(draw_images(20)), hidden_of(np.arange(20))
    how = Augmentation(config_of(**settings), FACTS)
    inputs, targets = how.mix_batch(images, torch.from_numpy(hidden))
    assert np.array_equal(targets, hidden)
    assert np.array_equal(inputs[..., 3], spread(hidden))
    assert torch.equal(inputs[..., :3], images) == (not settings)


def test_a_patch_that_is_hidden_says_nothing() -> None:
    hidden = torch.from_numpy(spread(hidden_of(np.arange(8)))[..., None]).byte()
    images, others = (torch.from_numpy(draw_images(8, seed=seed)) for seed in (0, 1))
    model = model_of().eval()

    def found(pixels: torch.Tensor) -> torch.Tensor:
        return model(torch.cat([pixels, hidden], dim=3))[:, :3]

    assert torch.equal(found(images), found(torch.where(hidden > 0, others, images)))
    assert not torch.allclose(found(images), found(torch.where(hidden > 0, images, others)))


@pytest.mark.parametrize("shape", [(8, 8, 3), (9, 9, 1), (33, 50, 3), (70, 130, 3)])
def test_outputs_are_of_the_size_of_any_image(shape: tuple[int, int, int]) -> None:
    facts = FACTS._replace(shape=shape, mean=[100.0] * shape[2], std=[50.0] * shape[2])
    model = build(config_of(), facts, CPU, fresh=True)
    images = torch.from_numpy(draw_images(2, shape))
    outputs = model(images)
    assert outputs.shape == (2, 2 * shape[2] + 1, *shape[:2])
    assert torch.equal(outputs[:, shape[2] : -1], (images.permute(0, 3, 1, 2).float() - 100) / 50)


def test_each_part_of_the_reconstruction_has_its_place() -> None:
    """The stride of the encoder, and the order of what the linear layer gives."""
    model, images = model_of((70, 130, 3)), draw_images(1, (70, 130, 3))
    with torch.no_grad():
        model.decoder.bias.copy_(torch.arange(len(model.decoder.bias)))
        model.decoder.weight.zero_()
        found = model(torch.from_numpy(images))[0, :3]
    rows, columns = np.arange(70)[:, None] % 16, np.arange(130) % 16  # 16 = 4 * 2 * 2
    for color in range(3):
        assert np.array_equal(found[color], 256 * color + 16 * rows + columns)


def test_evaluation_hides_the_same_patches_of_all_images() -> None:
    images = torch.from_numpy(draw_images(9))
    masks = [
        model_of(seed=seed).train(training)(images).detach()[:, -1]
        for seed, training in ((0, True), (1, False))
    ]
    assert torch.equal(*masks) and all(torch.equal(masks[0][0], one) for one in masks[0])
    corners = masks[0][0, ::4, ::4]  # a pixel of each patch
    assert corners.sum() == HIDDEN
    assert np.array_equal(masks[0][:1], spread(corners.reshape(1, 6).numpy()))


def test_the_loss_is_the_squared_error_of_what_is_hidden() -> None:
    random = np.random.default_rng(0)
    hidden = spread(hidden_of(np.arange(5)))
    found, pixels = random.normal(size=(2, 5, 3, 10, 7))
    expected = [
        np.square(found[n] - pixels[n])[:, hidden[n] == 1].mean() for n in range(len(hidden))
    ]
    outputs = torch.from_numpy(np.concatenate([found, pixels, hidden[:, None]], axis=1))
    task = Task(config_of(), FACTS)
    classes = torch.arange(5)
    assert task.loss(outputs, classes).item() == pytest.approx(sum(expected), rel=1e-12)
    assert task.activate(outputs).tolist() == pytest.approx(expected, rel=1e-12)
    said = task.predictions(task.activate(outputs))
    assert [answer["error"] for answer in said] == pytest.approx(expected, rel=1e-12)
    assert task.in_words({"error": 0.12345}) == "error of reconstruction 0.123"
    assert (task.best, task.higher_is_better) == ("loss", False)
    assert task.sums(outputs, classes) == task.metrics({}, 5) == {}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"patch_size": 10}, "--mask-ratio 0.5 hides 0 of the 1 x 1 patches of an image of 10 x 7"),
        ({"mask_ratio": 0.95}, "--mask-ratio 0.95 hides 6 of the 3 x 2 patches"),
        ({"mask_ratio": 0.01}, "--mask-ratio 0.01 hides 0 of the 3 x 2 patches"),
    ],
)
def test_to_hide_nothing_or_everything_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(FlagError, match=f"^{said}"):
        model_of(**settings)


# what a resume has to bring back is on
PRETRAINING = {
    "objective": "reconstruct",
    "ema_decay": 0.9,
    "accumulate": 2,
    "checkpoint_every": "5",
}


def train_here(data_dir: Path, run_dir: Path, **settings: Any) -> Path:
    """Train with a small run's settings and these; returns the run's folder."""
    config = Config(data_dir=data_dir, run_dir=run_dir, **SETTINGS | settings)
    assert train_as(config, train.main) == 0
    return run_dir


@pytest.fixture(scope="module")
def pretrained(image_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run without classes."""
    folder = tmp_path_factory.mktemp("pretrained") / "run"
    return train_here(image_data, folder, **PRETRAINING)


def test_a_classifier_starts_from_the_whole_encoder(image_data: Path, pretrained: Path) -> None:
    trainer = Trainer(Config(data_dir=image_data, init_from=pretrained, **SETTINGS), CPU)
    saved = torch.load(pretrained / "checkpoints" / "best.pt", weights_only=True)["average"]
    own = trainer.state.model.state_dict()
    assert own.keys() ^ saved.keys() == {
        f"{layer}.{kind}" for layer in ("head", "decoder") for kind in ("weight", "bias")
    }
    assert all(torch.equal(own[name], saved[name]) for name in own.keys() & saved.keys())


def test_a_step_sees_what_is_hidden_and_an_evaluation_hides_the_same_again(
    image_data: Path, pretrained: Path
) -> None:
    trainer = Trainer(Config(data_dir=image_data, **SETTINGS | PRETRAINING), CPU)
    batch = next(trainer.batches())
    inputs, targets, _ = trainer.mixed(batch)
    assert inputs.shape == (8, 12, 12, 4) and torch.equal(inputs[..., :3], batch.inputs)
    assert torch.equal(inputs[:, ::4, ::4, 3].reshape(8, 9), targets.to(inputs.dtype))
    one, other = (trainer.evaluate(lambda: False).values for _ in range(2))
    assert one == other and one.keys() == {"loss"}
    assert [line.keys() & {"loss", "accuracy"} for line in read_metrics(pretrained)] == [
        {"loss"}
    ] * 4


def test_images_of_one_class_are_enough(tmp_path: Path) -> None:
    source = tmp_path / "source"
    draw_tree(source)
    for folder in sorted(source.glob("*/*")):
        for file in folder.iterdir():
            place = folder.parent / "images" / f"{folder.name}-{file.name}"
            place.parent.mkdir(exist_ok=True)
            file.rename(place)
        folder.rmdir()
    assert main(PrepareConfig(source=source, data_dir=tmp_path / "data")) == 0
    run = train_here(tmp_path / "data", tmp_path / "run", **PRETRAINING)
    assert [line["split"] for line in read_metrics(run)] == ["train", "val"] * 2


def test_a_run_is_measured_as_it_was_and_answers_with_errors(
    image_data: Path, pretrained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = pretrained / "checkpoints" / "last.pt"
    asked = evaluate.EvaluateConfig(last, num_workers=0, device="cpu", json=True)
    assert call(evaluate.main, asked) == 0
    found, logged = loads(capsys.readouterr().out), read_metrics(pretrained)[-1]
    assert found == {"loss": logged["loss"], "samples": 15}
    images = sorted((image_data.parent / "source" / "val").rglob("*.png"))
    predicted = predict.PredictConfig(last, tuple(images), device="cpu", json=True)
    assert call(predict.main, predicted) == 0
    answers = loads(capsys.readouterr().out)["predictions"]
    assert np.mean([answer["error"] for answer in answers]) == pytest.approx(
        found["loss"], rel=1e-2
    )


def test_a_stopped_run_resumes_to_the_same_bits(
    image_data: Path, pretrained: Path, tmp_path: Path
) -> None:
    stopped = Path(shutil.copytree(pretrained, tmp_path / "stopped"))
    folder = stopped / "checkpoints"
    (folder / "previous.pt").replace(folder / "last.pt")  # of the middle of an epoch
    assert torch.load(folder / "last.pt", weights_only=True)["progress"]["step"] == 10
    train_here(image_data, stopped, resume=True, **PRETRAINING)
    assert_same_run(stopped, pretrained)


@pytest.mark.slow
def test_a_reconstructing_model_is_exported(pretrained: Path, tmp_path: Path) -> None:
    call(export.main, export.ExportConfig(pretrained, tmp_path / "model.pt2"))
    assert (tmp_path / "model.pt2").is_file()
