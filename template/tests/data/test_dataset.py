"""Batches hold what the reader has, whoever reads it, and look the same each time."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from toy.augment import Augmentation
from toy.base.errors import DataError
from toy.config import Config
from toy.data.cache import Cache
from toy.data.dataset import Batch, BatchDataset
from toy.data.loader import batches, make_loader
from toy.data.samplers import EvalSampler, TrainSampler
from toy.data.storage import Reader, split_path
from toy.data.subset import Subset

CPU = torch.device("cpu")  # workers that import this file need not import conftest.py


def load(data_dir: Path, workers: int | None = 0, **options: Any) -> list[Batch]:
    """One epoch of augmented training batches."""
    reader = Reader(split_path(data_dir, "train"))
    dataset = BatchDataset(reader, Augmentation(Config()), **options)
    sampler = TrainSampler(len(reader), 8, seed=0)
    return list(batches(make_loader(dataset, sampler, seed=0, workers=workers), CPU))


def assert_same(one: list[Batch], other: list[Batch]) -> None:
    for a, b in zip(one, other, strict=True):
        assert all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


def test_workers_do_not_change_what_samples_look_like(toy_data: Path) -> None:
    alone = load(toy_data)
    for workers in (1, 2):
        assert_same(load(toy_data, workers), alone)


def test_changes_that_are_left_to_the_device_give_the_same_batches(toy_data: Path) -> None:
    assert_same(load(toy_data, on_device=True), load(toy_data))
    assert_same(load(toy_data, 1, on_device=True), load(toy_data))


class Moving(Augmentation):
    """Changes the targets with the inputs, as masks move with their images."""

    def apply(
        self, inputs: np.ndarray, targets: np.ndarray, changes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        inputs, targets = super().apply(inputs, targets, changes)
        targets += changes[:, :2].astype(targets.dtype)
        return inputs, targets

    def apply_on_device(
        self, inputs: torch.Tensor, targets: torch.Tensor, changes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        inputs, targets = super().apply_on_device(inputs, targets, changes)
        return inputs, targets + changes[:, :2].to(targets.dtype)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("on_device", [False, True])
def test_targets_move_with_their_inputs_and_the_stored_ones_stay(
    toy_data: Path, workers: int, on_device: bool
) -> None:
    reader = Reader(split_path(toy_data, "train"))
    stored = reader.targets.copy()
    dataset = BatchDataset(reader, Moving(Config()), on_device=on_device)
    loader = make_loader(dataset, TrainSampler(len(reader), 8, seed=0), seed=0, workers=workers)
    for inputs, targets, indices in batches(loader, CPU):
        numbers = indices.numpy()
        moved = inputs.numpy() - reader.read(numbers)  # (B, 6)
        assert moved.any()
        assert np.array_equal(targets.numpy(), stored[numbers] + moved[:, :2].astype(np.float32))
    assert np.array_equal(reader.targets, stored)


class Telling(Augmentation):
    """Makes targets of the changes, as where a model is to find out what was done to its inputs."""

    def apply(
        self, inputs: np.ndarray, targets: np.ndarray, changes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        return super().apply(inputs, targets, changes)[0], changes

    def apply_on_device(
        self, inputs: torch.Tensor, targets: torch.Tensor, changes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return super().apply_on_device(inputs, targets, changes)[0], changes


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("on_device", [False, True])
def test_changes_may_give_targets_of_another_shape_and_type(
    toy_data: Path, workers: int, on_device: bool
) -> None:
    reader = Reader(split_path(toy_data, "train"))
    dataset = BatchDataset(reader, Telling(Config()), on_device=on_device)
    loader = make_loader(dataset, TrainSampler(len(reader), 8, seed=0), seed=0, workers=workers)
    for inputs, targets, indices in batches(loader, CPU):
        assert (targets.shape, targets.dtype) == ((8, 6), torch.int64)
        assert np.array_equal(inputs.numpy() - reader.read(indices.numpy()), targets.numpy())


def test_inputs_and_targets_are_those_of_their_numbers(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "train"))
    sampler = TrainSampler(len(reader), 8, seed=0)
    loader = make_loader(BatchDataset(reader), sampler, seed=0, workers=0)
    for inputs, targets, indices in batches(loader, CPU):
        assert np.array_equal(inputs.numpy(), reader.read(indices.numpy()))
        assert np.array_equal(targets.numpy(), reader.targets[indices.numpy()])


def test_validation_inputs_are_those_on_disk(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "val"))
    loader = make_loader(BatchDataset(reader), EvalSampler(len(reader), 4), seed=0, workers=0)
    inputs = torch.cat([batch.inputs for batch in batches(loader, CPU)])
    assert np.array_equal(inputs.numpy(), reader.read(np.arange(len(reader))))


def test_loading_draws_nothing_from_the_global_generator(toy_data: Path) -> None:
    before = torch.get_rng_state()
    load(toy_data)
    load(toy_data, workers=1)
    assert torch.equal(torch.get_rng_state(), before)


class Broken(Reader):
    """A reader of damaged samples; here, since workers may have to import it."""

    def read(self, indices: np.ndarray) -> np.ndarray:
        raise DataError(f"sample {indices[0]} is cut off")


def test_a_sample_that_cannot_be_read_is_an_error_of_its_own(toy_data: Path) -> None:
    dataset = BatchDataset(Broken(split_path(toy_data, "val")))
    loader = make_loader(dataset, EvalSampler(4, 4), seed=0, workers=1)
    with pytest.raises(DataError, match=r"^sample 0 is cut off$"):
        list(batches(loader, CPU))


class Arrays(Reader):
    """Ten samples of any kind: a reader that someone brings along."""

    def __init__(self, inputs: np.ndarray, targets: np.ndarray) -> None:
        self.inputs, self.targets, self.classes = inputs, targets, ["one"]
        self.shape, self.dtype = inputs.shape[1:], inputs.dtype

    def read(self, indices: np.ndarray) -> np.ndarray:
        return self.inputs[indices]


RANDOM = np.random.default_rng(0)
TOKENS = RANDOM.integers(0, 30_000, (10, 7), dtype=np.int16)
TOKENS[3, 2] = 851  # 83 in eight bits
INPUTS = {
    "tokens": TOKENS,
    "volumes": RANDOM.normal(size=(10, 2, 3, 4, 5)).astype(np.float32),
    "numbers": RANDOM.normal(size=10),
    "flags": RANDOM.random((10, 3)) < 0.5,
}
TARGETS = {
    "class numbers": np.arange(10),
    "several numbers": RANDOM.normal(size=(10, 3)).astype(np.float32),
    "masks": RANDOM.integers(0, 4, (10, 5, 6)),
    "several labels": RANDOM.random((10, 4)) < 0.5,
}
WAYS = ["this process", "workers", "memory", "part"]


class OnDisk:
    """Targets that are read when they are asked for."""

    def __init__(self, targets: np.ndarray) -> None:
        self._targets = targets

    def __len__(self) -> int:
        return len(self._targets)

    def __getitem__(self, indices: np.ndarray) -> np.ndarray:
        return self._targets[indices]


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("inputs", "targets"), list(zip(INPUTS.values(), TARGETS.values(), strict=True)), ids=INPUTS
)
def test_inputs_and_targets_of_any_type_and_shape_come_as_they_are(
    inputs: np.ndarray, targets: np.ndarray, way: str, on_disk: bool
) -> None:
    reader: Any = Arrays(inputs, targets)
    if on_disk:
        reader.targets = OnDisk(targets)
    every = np.arange(10)
    if way == "part":
        every = np.array([0, 2, 5, 7])
        reader = Subset(reader, 4)
    if way == "memory":
        reader = Cache(reader, CPU)
        parts = [every[first : first + 4] for first in (4, 8, 0)]
        reader.fill([Batch(*map(torch.as_tensor, (inputs[p], targets[p], p))) for p in parts])
    sampler = EvalSampler(len(every), 3)
    workers = 1 if way == "workers" else 0
    found = list(batches(make_loader(BatchDataset(reader), sampler, seed=0, workers=workers), CPU))
    for name, expected in (("inputs", inputs[every]), ("targets", targets[every])):
        values = torch.cat([getattr(batch, name) for batch in found]).numpy()
        assert values.dtype == expected.dtype, name
        assert np.array_equal(values, expected), name
