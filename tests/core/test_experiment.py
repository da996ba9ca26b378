"""The files that a user edits, as they come: which parameters decay, the rate, changes to images,
the model, the loss."""

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from .conftest import Project

CLASSES = ["left", "middle", "right"]


@pytest.fixture(scope="module")
def optim(folder_project: Project) -> ModuleType:
    return folder_project.module("optim")


@pytest.fixture(scope="module")
def new_config(folder_project: Project) -> Any:
    return folder_project.module("config").Config


def info_of(project: Project, *shape: int) -> Any:
    """What a run knows about images of a shape (H, W, C)."""
    channels = shape[2]
    mean, std = [100.0 + 10 * c for c in range(channels)], [20.0 + c for c in range(channels)]
    info = project.module("data.info").DatasetInfo
    return info(CLASSES, [1, 1, 1], shape, "uint8", 3, mean, std, "")


class TokenNorm(nn.Module):
    """A norm of someone's own, whose scale is no vector."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4, 8))


class Scaled(nn.LayerNorm):
    """A torch norm by another name."""


class RootScaled(nn.RMSNorm):
    """Another one."""


class Everything(nn.Module):
    """One of each kind of parameter, a tied one, and a frozen one."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.transposed = nn.ConvTranspose1d(8, 8, 3)
        self.linear = nn.Linear(8, 8)
        self.tied = nn.Linear(8, 8)
        self.tied.weight = self.linear.weight
        self.attention = nn.MultiheadAttention(8, 2, add_bias_kv=True)
        self.recurrent = nn.LSTM(8, 8)
        self.embedding = nn.Embedding(5, 8)
        self.bag = nn.EmbeddingBag(5, 8)
        self.batch_norm, self.instance_norm = nn.BatchNorm2d(8), nn.InstanceNorm1d(8, affine=True)
        self.group_norm, self.layer_norm = nn.GroupNorm(2, 8), Scaled((4, 8))
        self.rms_norm, self.token_norm = RootScaled((4, 8)), TokenNorm()
        self.class_token = nn.Parameter(torch.zeros(1, 1, 8))
        self.pos_embedding = nn.Parameter(torch.zeros(1, 5, 8))
        self.temperature = nn.Parameter(torch.tensor(1.0))
        self.frozen = nn.Linear(8, 8).requires_grad_(False)


def test_matrices_and_kernels_decay_and_nothing_else(optim: ModuleType) -> None:
    model = Everything()
    decayed, kept = optim.split_parameters(model)
    assert [name for name, _ in decayed] == [
        *("conv.weight", "transposed.weight", "linear.weight"),
        *("attention.in_proj_weight", "attention.out_proj.weight"),
        *("recurrent.weight_ih_l0", "recurrent.weight_hh_l0"),
    ]
    both = [*decayed, *kept]
    trainable = {name: p for name, p in model.named_parameters() if p.requires_grad}
    assert len(both) == len(trainable), "each once"
    assert dict(both) == trainable


def test_the_groups_have_the_decay_and_the_rate_of_their_flags(
    optim: ModuleType, new_config: Any
) -> None:
    model = Everything()
    for name, kind in (("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)):
        found = optim.build_optimizer(new_config(optimizer=name, weight_decay=0.3, lr=0.02), model)
        assert type(found) is kind
        assert [group["weight_decay"] for group in found.param_groups] == [0.3, 0.0]
        assert {group["lr"] for group in found.param_groups} == {0.02}
        if name == "adamw":
            assert {group["betas"] for group in found.param_groups} == {(0.9, 0.999)}
        if name == "sgd":
            assert all(g["momentum"] == 0.9 and g["nesterov"] for g in found.param_groups)
    (alone,) = optim.build_optimizer(new_config(), nn.BatchNorm1d(3)).param_groups
    assert alone["weight_decay"] == 0


@pytest.mark.parametrize("settings", [{}, {"max_steps": 47}, {"warmup_epochs": 0.0}])
def test_the_rate_rises_in_a_line_then_follows_a_cosine_and_stays_down(
    optim: ModuleType, new_config: Any, settings: dict[str, Any]
) -> None:
    config = new_config(epochs=6, **{"warmup_epochs": 1.5} | settings)
    warmup, total = round(config.warmup_epochs * 10), settings.get("max_steps", 60)
    rates = [optim.learning_rate(config, step, 10, 0.4) for step in range(total + 5)]
    assert rates[:warmup] == pytest.approx([0.4 * (step + 1) / warmup for step in range(warmup)])
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.4)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total - warmup)
    for rate in rates[warmup:total]:
        assert rate == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-12)
        optimizer.step()
        cosine.step()
    assert rates[total:] == pytest.approx([0.0] * 5, abs=1e-12)


def test_there_is_an_average_where_its_flag_says_so(optim: ModuleType, new_config: Any) -> None:
    assert optim.ema_decay(new_config(), 3, 10) == 1.0
    assert optim.ema_decay(new_config(ema_decay=0.9), 3, 10) == 0.9


def changed(project: Project, config: Any, images: np.ndarray, indices: Any, epoch: int) -> Any:
    augment = project.module("augment").Augmentation(config, None)
    given = images.copy(), np.arange(len(images)), np.asarray(indices), epoch
    found, targets = augment(*given)
    assert np.array_equal(targets, given[1])
    return found, augment.draw(np.asarray(indices), epoch, images.shape)


def test_a_shift_is_zero_padding_and_a_crop_and_a_flip_mirrors(
    folder_project: Project, new_config: Any
) -> None:
    images = np.random.default_rng(0).integers(1, 256, (200, 17, 24, 3), dtype=np.uint8)
    config = new_config(random_flip=True)
    found, (moves, flips) = changed(folder_project, config, images, np.arange(200), 4)
    for image, result, (down, right), flip in zip(images, found, moves, flips, strict=True):
        padded = np.pad(image, ((2, 2), (3, 3), (0, 0)))
        expected = padded[2 - down : 19 - down, 3 - right : 27 - right]
        assert np.array_equal(result, expected[:, ::-1] if flip else expected)
    assert {*moves[:, 0]} == {*range(-2, 3)} and {*moves[:, 1]} == {*range(-3, 4)}
    assert 70 < flips.sum() < 130


def test_the_flags_turn_each_change_off(folder_project: Project, new_config: Any) -> None:
    images = np.random.default_rng(0).integers(1, 256, (50, 16, 16, 3), dtype=np.uint8)
    found, _ = changed(folder_project, new_config(random_crop=False), images, np.arange(50), 0)
    assert np.array_equal(found, images)
    _, (moves, flips) = changed(folder_project, new_config(), images, np.arange(50), 0)
    assert moves.any() and not flips.any()


def test_a_change_follows_from_seed_epoch_and_sample_alone(
    folder_project: Project, new_config: Any
) -> None:
    images = np.random.default_rng(0).integers(1, 256, (64, 32, 32, 3), dtype=np.uint8)

    def moves_of(indices: Any, seed: int = 0, epoch: int = 0) -> list[list[int]]:
        config = new_config(seed=seed)
        _, (moves, _) = changed(folder_project, config, images[: len(indices)], indices, epoch)
        return moves.tolist()

    first = moves_of(range(64))
    assert moves_of(range(10, 20)) == first[10:20]
    assert len({str(move) for move in first}) > 30
    assert first not in (moves_of(range(64), seed=1), moves_of(range(64), epoch=1))


@pytest.mark.parametrize("size", [(8, 8), (63, 64), (224, 180), (5, 300)])
@pytest.mark.parametrize("channels", [1, 3])
def test_the_model_takes_every_size_and_its_settings_mean_what_they_say(
    folder_project: Project, new_config: Any, size: tuple[int, int], channels: int
) -> None:
    model, info = folder_project.module("model"), info_of(folder_project, *size, channels)
    config = new_config(width=4, blocks=2, dropout=0.5)
    built = model.build_model(config, info)
    model.initialize(built, config)
    blocks = [part for part in built.modules() if isinstance(part, model.Block)]
    assert [block.conv2.out_channels for block in blocks] == [4, 4, 8, 8, 16, 16]
    assert all(not block.norm2.weight.any() for block in blocks), "each begins as its shortcut"
    seen: list[torch.Size] = []
    built.stages.register_forward_pre_hook(lambda _, given: seen.append(given[0].shape))
    images = torch.randint(256, (3, *size, channels), dtype=torch.uint8)
    outputs = built.eval()(images)
    assert outputs.shape == (3, 3) and torch.equal(outputs, built(images))
    assert seen[0][1] == 4 and max(seen[0][2:]) < 64
    assert not torch.equal(built.train()(images), built(images)), "dropout"


def test_each_channel_is_normalized_by_its_own_numbers_and_stays_in_its_place(
    folder_project: Project,
) -> None:
    normalize = folder_project.module("model").Normalize([10.0, 20.0], [2.0, 4.0])
    images = torch.randint(256, (3, 5, 7, 2), dtype=torch.uint8)
    found = normalize(images)
    assert found.shape == (3, 2, 5, 7)
    assert torch.equal(found[:, 1], (images[..., 1].float() - 20) / 4)
    assert torch.equal(found[:, 0], (images[..., 0].float() - 10) / 2)
    assert normalize.state_dict() == {}, "a checkpoint has them in its info"


def test_the_loss_is_the_sum_of_cross_entropies_smoothed_in_training_alone(
    folder_project: Project, new_config: Any
) -> None:
    info = info_of(folder_project, 8, 8, 3)
    task = folder_project.module("task").Task(new_config(label_smoothing=0.1), info)
    outputs, targets = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 1, 2])
    smoothed = F.cross_entropy(outputs, targets, label_smoothing=0.1) * 6
    torch.testing.assert_close(task.train().loss(outputs, targets), smoothed)
    plain = F.cross_entropy(outputs, targets) * 6
    torch.testing.assert_close(task.eval().loss(outputs, targets), plain)


def test_a_prediction_is_the_most_probable_class(folder_project: Project, new_config: Any) -> None:
    task = folder_project.module("task").Task(new_config(), info_of(folder_project, 8, 8, 3))
    outputs = torch.tensor([[0.0, math.log(3), 0.0], [math.log(8), 0.0, 0.0]])
    assert task.sums(outputs, torch.tensor([1, 2]))["correct"] == 1
    assert task.metrics({"correct": torch.tensor(1.0)}, 2) == {"accuracy": 0.5}
    predictions = task.predictions(task.activate(outputs))
    assert [each["class"] for each in predictions] == ["middle", "left"]
    assert [each["probability"] for each in predictions] == pytest.approx([0.6, 0.8])
    assert task.format_prediction(predictions[1]) == "left (80.0%)"


def test_an_epoch_has_each_sample_once_in_an_order_of_its_own(
    folder_project: Project, new_config: Any
) -> None:
    order = folder_project.module("task").sample_order
    first, second = (order(new_config(), range(100), epoch) for epoch in (0, 1))
    other = order(new_config(seed=1), range(100), 0)
    assert sorted(first) == sorted(second) == sorted(other) == list(range(100))
    assert len({found.tobytes() for found in (first, second, other)}) == 3


def test_what_a_model_starts_from_follows_from_torchs_seed(
    folder_project: Project, new_config: Any
) -> None:
    model, weights = folder_project.module("model"), []
    for seed in (0, 0, 1):
        built = model.build_model(new_config(), info_of(folder_project, 8, 8, 3))
        torch.manual_seed(seed)
        model.initialize(built, new_config())
        weights.append(torch.cat([p.detach().flatten() for p in built.parameters()]))
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
