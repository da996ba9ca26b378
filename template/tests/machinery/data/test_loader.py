"""The same batches with any number of workers, from memory too; errors come as one line."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from batches import epochs, same
from toy.augment import Augmentation
from toy.base.errors import DataError, FlagError
from toy.config import Config
from toy.data.info import open_split
from toy.data.loader import BatchDataset, Subset
from toy.data.reader import Reader
from toy.engine.trainer import example_batch
from toys import spoil


@pytest.fixture
def reader(toy_data: Path) -> Reader:
    return Reader(toy_data / "train")


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_give_the_batches_that_one_process_gives(reader: Reader, workers: int) -> None:
    dataset = BatchDataset(reader, Augmentation(Config(), None))
    assert same(epochs(dataset, 0), epochs(dataset, workers))


def test_batches_from_memory_are_those_from_the_files(reader: Reader) -> None:
    augment = Augmentation(Config(), None)
    cached = BatchDataset(reader, augment, cache="memory")
    expected = epochs(BatchDataset(reader, augment), 0)
    reader.read = None  # type: ignore[method-assign, assignment]
    assert same(epochs(cached, 2), expected)


def test_augmentation_in_memory_does_not_change_what_is_kept(reader: Reader) -> None:
    def spoiling(inputs: Any, targets: Any, indices: Any, epoch: int) -> Any:
        inputs[...] = 0
        return inputs, targets

    dataset = BatchDataset(reader, spoiling, cache="memory")
    epochs(dataset, 0, 1)
    assert np.array_equal(dataset.cached, reader.read(np.arange(48)))


def test_augmentation_gets_and_returns_the_targets(reader: Reader) -> None:
    def negate(inputs: Any, targets: Any, indices: Any, epoch: int) -> Any:
        return inputs[:, ::-1], -targets

    plain, changed = (
        BatchDataset(reader)[0, np.arange(4)],
        BatchDataset(reader, negate)[0, np.arange(4)],
    )
    assert torch.equal(changed.inputs, plain.inputs.flip(1))
    assert torch.equal(changed.targets, -plain.targets)


class Cropping(Augmentation):
    """An augmentation that also brings each input to its size."""

    def fit(self, image: Any, size: Any, index: int, epoch: int) -> Any:
        return image * 0 + 100 * epoch + index


def test_fit_gets_the_index_and_the_epoch(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(indices: np.ndarray, fit: Any = None) -> np.ndarray:
        inputs = reader.inputs[indices]
        pairs = zip(inputs, indices.tolist(), strict=True)
        return inputs if fit is None else np.stack([fit(x, None, i) for x, i in pairs])

    data = Subset(reader, 4)
    monkeypatch.setattr(reader, "read", read)
    dataset = BatchDataset(data, Cropping(Config(), None))
    dataset.augment = None
    found = dataset[3, np.array([2, 0])]
    assert found.inputs[:, 0].tolist() == [300 + 24, 300]


def test_memory_and_fit_exclude_each_other(reader: Reader) -> None:
    with pytest.raises(FlagError, match="--cache memory"):
        BatchDataset(reader, Cropping(Config(), None), cache="memory")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_sample_that_cannot_be_read_is_named_in_one_line(
    toy_data: Path, tmp_path: Path, workers: int
) -> None:
    data = Reader(spoil(toy_data, tmp_path / "bad", [17]) / "train")
    with pytest.raises(DataError) as caught:
        epochs(BatchDataset(data), workers)
    assert str(caught.value) == f"{data.where(17)} is corrupt"


def test_a_loader_leaves_the_global_generators_alone(reader: Reader) -> None:
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    epochs(BatchDataset(reader, Augmentation(Config(), None)), 2)
    epochs(BatchDataset(reader, Augmentation(Config(), None)), 0)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1:] == (random.getstate(), np.random.get_state()[1].tolist())


def test_a_subset_is_evenly_spread_and_names_the_places_of_all(reader: Reader) -> None:
    part, indices = Subset(reader, 5), np.array([0, 9, 19, 28, 38])
    assert len(part) == 5
    assert np.array_equal(part.read(np.array([4, 0])), reader.read(indices[[4, 0]]))
    assert np.array_equal(part.targets, reader.targets[indices])
    assert [part.where(i) for i in range(5)] == [reader.where(i) for i in indices]
    assert len(Subset(reader, 100)) == 48


def test_a_split_of_another_shape_or_other_classes_is_refused(
    toy_data: Path, reader: Reader
) -> None:
    assert len(open_split(toy_data / "val", reader)) == 15
    reader.shape = (5,)
    with pytest.raises(DataError, match=r"val has samples int16 \(6,\), .* has int16 \(5,\)"):
        open_split(toy_data / "val", reader)
    reader.classes = ["two", "one"]
    with pytest.raises(DataError, match=r"val has other classes .*: in another order"):
        open_split(toy_data / "val", reader)


def test_the_example_is_the_first_two_samples_or_the_only_one_twice(reader: Reader) -> None:
    for count, first in ((1, [0, 0]), (48, [0, 1])):
        inputs, targets = example_batch(Subset(reader, count))
        assert inputs.tolist() == reader.read(np.array(first)).tolist()
        assert targets.tolist() == reader.targets[first].tolist()
