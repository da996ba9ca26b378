"""What a run knows of its data: the numbers of the training inputs, and their fingerprint."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy.base.cli import from_dict, to_dict
from toy.data.info import CHUNK, DatasetInfo, compute_info
from toy.data.loader import Subset
from toy.data.reader import Reader


class Arrays:
    """A reader of an array (N, ...)."""

    def __init__(self, inputs: np.ndarray, targets: Any = None) -> None:
        self.inputs, self.shape, self.dtype = inputs, inputs.shape[1:], inputs.dtype
        self.targets = np.zeros(len(inputs)) if targets is None else np.asarray(targets)
        self.classes = ["one"]

    def __len__(self) -> int:
        return len(self.inputs)

    def read(self, indices: np.ndarray) -> np.ndarray:
        assert len(indices) <= CHUNK, "the memory holds no more"
        return self.inputs[indices]


def info_of(data: Any) -> DatasetInfo:
    return compute_info(data, [1, 2])


@pytest.fixture
def reader(toy_data: Path) -> Reader:
    return Reader(toy_data / "train")


def test_the_info_is_that_of_the_training_inputs(reader: Reader) -> None:
    info, values = info_of(reader), reader.read(np.arange(48))
    assert np.allclose(info.mean, values.mean(axis=0), rtol=1e-12)
    assert np.allclose(info.std, values.std(axis=0), rtol=1e-9)
    assert (info.shape, info.dtype, info.samples) == ((6,), "int16", 48)
    assert (info.classes, info.counts) == (reader.classes, [1, 2])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_channels_are_measured_over_all_pixels(dtype: Any) -> None:
    images = np.random.default_rng(0).integers(0, 255, (150, 5, 4, 3)).astype(dtype)
    info = info_of(Arrays(images))
    assert np.allclose(info.mean, images.mean(axis=(0, 1, 2)), rtol=1e-12)
    assert np.allclose(info.std, images.std(axis=(0, 1, 2)), rtol=1e-9)
    assert (info.shape, info.dtype) == ((5, 4, 3), np.dtype(dtype).name)


def test_a_constant_channel_is_not_blown_up() -> None:
    assert info_of(Arrays(np.full((9, 4, 4, 1), 7, np.uint8))).std == [1.0]


def test_real_numbers_are_measured_as_they_are() -> None:
    inputs = np.random.default_rng(0).normal(1e-3, 1e-4, (40, 5, 3))
    info = info_of(Arrays(inputs))
    assert np.allclose(info.mean, inputs.mean(axis=(0, 1)), rtol=1e-9)
    assert np.allclose(info.std, inputs.std(axis=(0, 1)), rtol=1e-6)


def test_the_samples_that_are_measured_are_spread_over_all_the_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("toy.data.info.SAMPLES", 10)
    # sorted by class, as folders are: the first samples are those of the first class
    inputs = np.repeat(np.arange(0, 1000, 10, dtype=np.int16), 6).reshape(100, 6)
    info = info_of(Arrays(inputs))
    assert info.mean == pytest.approx([495] * 6, abs=10)
    assert info.std == pytest.approx([inputs[:, 0].std()] * 6, rel=0.15)


@pytest.mark.parametrize("index", [0, 47])
@pytest.mark.parametrize("part", ["inputs", "targets"])
def test_another_number_anywhere_gives_another_fingerprint(
    reader: Reader, part: str, index: int
) -> None:
    arrays = {"inputs": reader.read(np.arange(48)), "targets": reader.targets.copy()}
    before = info_of(Arrays(**arrays)).fingerprint
    assert info_of(Arrays(**arrays)).fingerprint == before
    arrays[part][index, -1] += 1
    assert info_of(Arrays(**arrays)).fingerprint != before


def test_the_order_of_the_samples_is_part_of_the_fingerprint(reader: Reader) -> None:
    inputs, targets = reader.read(np.arange(48)), reader.targets
    forward, backward = Arrays(inputs, targets), Arrays(inputs[::-1], targets[::-1])
    assert info_of(forward).fingerprint != info_of(backward).fingerprint


def test_a_subset_has_info_of_its_own(reader: Reader) -> None:
    whole, part = info_of(reader), info_of(Subset(reader, 24))
    assert (whole.samples, part.samples) == (48, 24)
    assert whole.fingerprint != part.fingerprint


def test_info_comes_back_from_json(reader: Reader) -> None:
    info = info_of(reader)
    assert from_dict(DatasetInfo, to_dict(info)) == info
