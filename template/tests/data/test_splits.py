"""What a run knows of its data: numbers of the training inputs, and what they are recognised by."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toy.base.facts import Facts
from toy.data.splits import gather_facts
from toy.data.storage import Reader, split_path
from toy.data.subset import Subset
from toy.task import target_facts


class Arrays(Reader):
    """Real numbers of any shape: a reader that someone brings along."""

    def __init__(self, inputs: np.ndarray) -> None:
        self.inputs, self.shape, self.dtype = inputs, inputs.shape[1:], inputs.dtype
        self.targets, self.classes = np.zeros(len(inputs)), ["one"]

    def read(self, indices: np.ndarray) -> np.ndarray:
        return self.inputs[indices]


def facts_of(reader: Any, **options: int) -> Facts:
    return gather_facts(reader, target_facts, **options)


def write(folder: Path, inputs: np.ndarray, targets: np.ndarray, split: str = "train") -> Reader:
    np.savez(folder / f"{split}.npz", inputs=inputs, targets=targets)
    return Reader(split_path(folder, split))


def test_the_facts_are_those_of_the_training_inputs(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "train"))
    facts, values = facts_of(reader, chunk=7), reader.read(np.arange(len(reader)))
    assert np.allclose(facts.mean, values.mean(axis=0), rtol=1e-12)
    assert np.allclose(facts.std, values.std(axis=0), rtol=1e-9)
    assert (facts.shape, facts.dtype, facts.samples) == ((6,), "int16", 48)
    assert facts.classes == reader.classes


def test_a_measured_part_is_spread_over_all_the_data(tmp_path: Path) -> None:
    # sorted by class, as folders are: the first samples are those of the first class
    inputs = np.repeat(np.arange(0, 1000, 10, dtype=np.int16), 6).reshape(100, 6)
    facts = facts_of(write(tmp_path, inputs, np.zeros((100, 2), np.float32)), samples=10)
    assert facts.mean == pytest.approx([495] * 6, abs=10)
    assert facts.std == pytest.approx([inputs[:, 0].std()] * 6, rel=0.15)


@pytest.mark.parametrize("index", [0, 47])
@pytest.mark.parametrize("part", ["inputs", "targets"])
def test_another_number_anywhere_makes_another_fingerprint(
    toy_data: Path, tmp_path: Path, part: str, index: int
) -> None:
    reader = Reader(split_path(toy_data, "train"))
    arrays = {"inputs": reader.read(np.arange(48)), "targets": reader.targets.copy()}
    before = facts_of(write(tmp_path, **arrays)).fingerprint
    assert before == facts_of(reader).fingerprint
    arrays[part][index, -1] += 1
    assert facts_of(write(tmp_path, **arrays)).fingerprint != before


def test_the_order_of_the_samples_is_part_of_the_fingerprint(
    toy_data: Path, tmp_path: Path
) -> None:
    reader = Reader(split_path(toy_data, "train"))
    inputs, targets = reader.read(np.arange(48))[::-1], reader.targets[::-1]
    assert facts_of(write(tmp_path, inputs, targets)) != facts_of(reader)


def test_real_numbers_are_measured_as_they_are() -> None:
    inputs = np.random.default_rng(0).normal(1e-3, 1e-4, (40, 5, 3))
    facts = facts_of(Arrays(inputs), chunk=7)
    assert np.allclose(facts.mean, inputs.mean(axis=(0, 1)), rtol=1e-9)
    assert np.allclose(facts.std, inputs.std(axis=(0, 1)), rtol=1e-6)


def test_a_part_is_evenly_spread_and_names_the_places_of_all(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "train"))
    part, numbers = Subset(reader, 5), np.array([0, 9, 19, 28, 38])
    assert len(part) == 5
    assert np.array_equal(part.read(np.array([4, 0])), reader.read(numbers[[4, 0]]))
    assert np.array_equal(part.targets, reader.targets[numbers])
    assert [part.where(number) for number in range(5)] == [reader.where(n) for n in numbers]
    assert len(Subset(reader, 100)) == 48


def test_the_targets_are_measured_by_the_task(tmp_path: Path) -> None:
    targets = np.repeat([0.0, 4.0], [10, 30])
    reader = write(tmp_path, np.ones((40, 6), np.int16), targets)
    assert facts_of(reader).targets == {"mean": 3.0}
    assert facts_of(Subset(reader, 2)).targets == {"mean": 2.0}


def test_facts_come_back_from_plain_values(tmp_path: Path) -> None:
    facts = facts_of(write(tmp_path, np.ones((3, 6), np.int16), np.array([0, 1, 1])))
    plain = json.loads(json.dumps(facts.to_plain()))
    assert Facts.from_plain(plain) == facts


def test_a_part_has_its_own_facts(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "train"))
    whole, part = facts_of(reader), facts_of(Subset(reader, 24))
    assert (whole.samples, part.samples) == (48, 24)
    assert whole.fingerprint != part.fingerprint


class OnDisk:
    """Targets that are read when they are asked for."""

    def __init__(self, targets: np.ndarray) -> None:
        self._targets = targets

    def __len__(self) -> int:
        return len(self._targets)

    def __getitem__(self, indices: np.ndarray) -> np.ndarray:
        assert isinstance(indices, np.ndarray) and len(indices) <= 64
        return self._targets[indices]


def test_targets_on_the_disk_are_part_of_the_fingerprint() -> None:
    def fingerprint(masks: np.ndarray) -> str:
        reader: Any = Arrays(np.ones((100, 6), np.int16))
        reader.targets = OnDisk(masks)
        return gather_facts(reader, lambda _: {}).fingerprint

    masks = np.zeros((100, 4, 4), np.uint8)
    before = fingerprint(masks)
    masks[77, 2, 1] = 1
    assert fingerprint(masks) != before
