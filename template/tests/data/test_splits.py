"""What a run knows of its data: numbers of the training inputs, and what they are recognised by."""

import json
from pathlib import Path

import numpy as np
import pytest

from toy.base.facts import Facts
from toy.data.splits import count_classes, gather_facts
from toy.data.storage import Reader, split_path
from toy.data.subset import Subset


class Arrays(Reader):
    """Real numbers of any shape: a reader that someone brings along."""

    def __init__(self, inputs: np.ndarray) -> None:
        self.inputs, self.shape, self.dtype = inputs, inputs.shape[1:], inputs.dtype
        self.targets, self.classes = np.zeros(len(inputs)), ["one"]

    def read(self, indices: np.ndarray) -> np.ndarray:
        return self.inputs[indices]


def write(folder: Path, inputs: np.ndarray, targets: np.ndarray, split: str = "train") -> Reader:
    np.savez(folder / f"{split}.npz", inputs=inputs, targets=targets)
    return Reader(split_path(folder, split))


def test_the_facts_are_those_of_the_training_inputs(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "train"))
    facts, values = gather_facts(reader, chunk=7), reader.read(np.arange(len(reader)))
    assert np.allclose(facts.mean, values.mean(axis=0), rtol=1e-12)
    assert np.allclose(facts.std, values.std(axis=0), rtol=1e-9)
    assert (facts.shape, facts.dtype, facts.samples) == ((6,), "int16", 48)
    assert facts.classes == reader.classes


def test_a_measured_part_is_spread_over_all_the_data(tmp_path: Path) -> None:
    # sorted by class, as folders are: the first samples are those of the first class
    inputs = np.repeat(np.arange(0, 1000, 10, dtype=np.int16), 6).reshape(100, 6)
    facts = gather_facts(write(tmp_path, inputs, np.zeros((100, 2), np.float32)), samples=10)
    assert facts.mean == pytest.approx([495] * 6, abs=10)
    assert facts.std == pytest.approx([inputs[:, 0].std()] * 6, rel=0.15)


@pytest.mark.parametrize("index", [0, 47])
@pytest.mark.parametrize("part", ["inputs", "targets"])
def test_another_number_anywhere_makes_another_fingerprint(
    toy_data: Path, tmp_path: Path, part: str, index: int
) -> None:
    reader = Reader(split_path(toy_data, "train"))
    arrays = {"inputs": reader.read(np.arange(48)), "targets": reader.targets.copy()}
    before = gather_facts(write(tmp_path, **arrays)).fingerprint
    assert before == gather_facts(reader).fingerprint
    arrays[part][index, -1] += 1
    assert gather_facts(write(tmp_path, **arrays)).fingerprint != before


def test_the_order_of_the_samples_is_part_of_the_fingerprint(
    toy_data: Path, tmp_path: Path
) -> None:
    reader = Reader(split_path(toy_data, "train"))
    inputs, targets = reader.read(np.arange(48))[::-1], reader.targets[::-1]
    assert gather_facts(write(tmp_path, inputs, targets)) != gather_facts(reader)


def test_real_numbers_are_measured_as_they_are() -> None:
    inputs = np.random.default_rng(0).normal(1e-3, 1e-4, (40, 5, 3))
    facts = gather_facts(Arrays(inputs), chunk=7)
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


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (np.array([2, 0, 2, 2]), (1, 0, 3)),
        (np.array([2, 0], np.uint8), (1, 0, 1)),
        (np.array([2.0, 0.0]), ()),
        (np.array([[2, 0]]), ()),
        (np.array([2, 3]), ()),
        (np.array([2, -1]), ()),
    ],
)
def test_the_samples_of_each_class_are_counted_where_there_are_classes(
    targets: np.ndarray, expected: tuple[int, ...]
) -> None:
    assert count_classes(targets, 3) == expected


def test_a_part_counts_its_own_classes(tmp_path: Path) -> None:
    targets = np.repeat([0, 1], [30, 10])
    reader = write(tmp_path, np.ones((40, 6), np.int16), targets)
    assert gather_facts(reader).counts == (30, 10)
    assert gather_facts(Subset(reader, 8)).counts == (6, 2)


def test_facts_come_back_from_plain_values(tmp_path: Path) -> None:
    facts = gather_facts(write(tmp_path, np.ones((3, 6), np.int16), np.array([0, 1, 1])))
    plain = json.loads(json.dumps(facts.to_plain()))
    assert Facts.from_plain(plain) == facts
    del plain["counts"]  # a checkpoint from before it had them
    assert Facts.from_plain(plain) == facts._replace(counts=())


def test_a_part_has_its_own_facts(toy_data: Path) -> None:
    reader = Reader(split_path(toy_data, "train"))
    whole, part = gather_facts(reader), gather_facts(Subset(reader, 24))
    assert (whole.samples, part.samples) == (48, 24)
    assert whole.fingerprint != part.fingerprint
