"""The reader gives back what `prepare` wrote: in any order, in any process.

It is yours to change with the data format, in `data/storage.py`.
"""

import multiprocessing
import pickle
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import write_source

from myproj.base.errors import DataError
from myproj.data.source import encode, scan
from myproj.data.storage import Reader, split_path
from myproj.prepare import PrepareConfig, main

TEXTS = [f"{number}: " + "äb c日"[: number % 5] * number for number in range(15)]
LENGTH = max(len(text.encode()) for text in TEXTS)
TOKENS = np.stack([encode(text, LENGTH) for text in TEXTS])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The training split of a prepared data folder that holds TEXTS."""
    root = tmp_path_factory.mktemp("storage")
    for split in ("train", "val"):
        write_source(root / "source" / split, TEXTS)
    assert main(PrepareConfig(source=root / "source", data_dir=root / "data")) == 0
    return split_path(root / "data", "train")


def test_classes_and_shape_are_known_without_reading(path: Path) -> None:
    reader = Reader(path)
    assert len(reader) == 15
    assert reader.classes == scan(path.parents[1] / "source" / "train").classes
    assert reader.shape == (LENGTH,)
    assert reader.dtype == np.uint8


@pytest.mark.parametrize("order", [range(15), [14, 0, 7, 3], [5, 5, 2, 5, 2], [9], []])
def test_any_order_with_repeats_reads_the_right_texts(path: Path, order: list[int]) -> None:
    indices = np.array(order, np.int64)
    texts = Reader(path).read(indices)
    assert texts.dtype == np.uint8
    assert np.array_equal(texts, TOKENS[indices])


def test_what_was_read_may_be_changed_in_place(path: Path) -> None:
    indices = np.arange(4)
    for size in (None, (LENGTH + 1,)):
        reader = Reader(path, size)
        reader.read(indices)[...] = 0
        assert np.array_equal(reader.read(indices)[:, :LENGTH], TOKENS[:4])


def test_another_length_is_met_by_cutting_and_by_padding(path: Path) -> None:
    for length in (1, 7, LENGTH, LENGTH + 9):
        reader = Reader(path, (length,))
        assert reader.shape == (length,)
        expected = np.pad(TOKENS, ((0, 0), (0, 9)))[:, :length]
        assert np.array_equal(reader.read(np.arange(15)), expected)


def test_a_reader_can_be_pickled_after_it_has_read(path: Path) -> None:
    reader = Reader(path)
    reader.read(np.arange(3))
    pickled = pickle.dumps(reader)
    assert len(pickled) < 1000, "what is open is not to be sent to workers"
    copy = pickle.loads(pickled)
    assert np.array_equal(copy.read(np.arange(15)), TOKENS)


def _send_texts(reader: Reader, pipe: Connection) -> None:
    pipe.send(reader.read(np.arange(15)))


# Python warns of forking while threads run; those of numpy do no harm here
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_other_processes_read_the_same_after_a_read_here(path: Path, method: str) -> None:
    reader = Reader(path)
    reader.read(np.arange(3))
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=_send_texts, args=(reader, theirs))
    process.start()
    assert ours.poll(60)
    assert np.array_equal(ours.recv(), TOKENS)
    process.join(60)
    assert process.exitcode == 0
    assert np.array_equal(reader.read(np.arange(15)), TOKENS)


def test_every_text_has_a_place_to_name_in_messages(path: Path) -> None:
    reader = Reader(path)
    places = [reader.where(index) for index in range(15)]
    assert len(set(places)) == 15
    assert all(place.startswith(str(path)) for place in places)


def test_missing_data_is_answered_with_the_command_that_makes_it(tmp_path: Path) -> None:
    missing = split_path(tmp_path, "train")
    with pytest.raises(DataError) as error:
        Reader(missing)
    assert str(error.value).startswith(f"{missing} not found: run `python -m ")
    assert ".prepare --demo`, or with --source DIR" in str(error.value)
