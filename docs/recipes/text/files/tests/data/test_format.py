"""What is special about HDF5: strings of one length are read, other content is refused.

It is yours to change with the data format, in `data/storage.py`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from drawn import some_targets

from myproj.base.errors import DataError
from myproj.data.source import encode
from myproj.data.storage import Reader, write

TEXTS = [f"text ü {number} " * (number % 3 + 1) for number in range(20)]
TOKENS = np.stack([encode(text, 40) for text in TEXTS])
CLASSES, TARGETS = some_targets(20)


def make(path: Path, texts: Any = None, **options: Any) -> Path:
    """A file as a user may write it."""
    texts = np.array([text.encode() for text in TEXTS]) if texts is None else texts
    with h5py.File(path, "w", userblock_size=options.pop("userblock_size", 0)) as file:
        file.create_dataset("texts", data=texts, **options)
        file["labels"] = TARGETS
        file.attrs["classes"] = CLASSES
    return path


@pytest.mark.parametrize("block", [0, 512])
def test_a_file_that_was_made_by_hand_is_read(tmp_path: Path, block: int) -> None:
    reader = Reader(make(tmp_path / "train.h5", userblock_size=block), (40,))
    for indices in (np.arange(20), np.array([19, 3, 3, 0, 19]), np.array([], np.int64)):
        assert np.array_equal(reader.read(indices), TOKENS[indices])
    assert reader.classes == CLASSES
    assert np.array_equal(reader.targets, TARGETS)


def test_what_write_makes_are_strings_in_one_piece(tmp_path: Path) -> None:
    write(tmp_path / "train.h5", TOKENS, TARGETS, CLASSES)
    with h5py.File(tmp_path / "train.h5") as file:
        assert file["texts"].chunks is None
        assert [text.decode() for text in file["texts"]] == [text[:40] for text in TEXTS]
        assert np.array_equal(file["labels"], TARGETS)
        assert file.attrs["classes"].tolist() == CLASSES
    assert [path.name for path in tmp_path.iterdir()] == ["train.h5"]


def test_the_names_of_many_classes_fit(tmp_path: Path) -> None:
    classes = [f"class {number:05d} and a longer name" for number in range(20_000)]
    write(tmp_path / "train.h5", TOKENS, TARGETS, classes)
    assert Reader(tmp_path / "train.h5").classes == classes


def delete_texts(file: h5py.File) -> None:
    del file["texts"]


def delete_labels(file: h5py.File) -> None:
    del file["labels"]


def delete_classes(file: h5py.File) -> None:
    del file.attrs["classes"]


def replace(name: str, values: Any) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        del file[name]
        file[name] = values

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (delete_texts, "no data set 'texts'"),
        (delete_labels, "no data set 'labels'"),
        (delete_classes, "no attribute 'classes'"),
        (replace("texts", TEXTS), r"texts is object \(20,\), not \(N,\) strings of one length"),
        (replace("texts", TOKENS), r"texts is uint8 \(20, 40\), not \(N,\) strings"),
        (replace("labels", TARGETS[:5]), r"labels is \w+ \(5.*, not one for each of 20 texts"),
        (replace("labels", TARGETS - 77), r"train\.h5: labels"),
    ],
)
def test_the_wrong_content_is_refused(
    tmp_path: Path, edit: Callable[[h5py.File], None], message: str
) -> None:
    path = make(tmp_path / "train.h5")
    with h5py.File(path, "r+") as file:
        edit(file)
    with pytest.raises(DataError, match=message) as error:
        Reader(path)
    assert str(path) in str(error.value)


def test_texts_in_chunks_are_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "train.h5", chunks=(1,))
    with pytest.raises(DataError, match=r"train\.h5: texts has chunks: store it in one piece"):
        Reader(path)


def test_damaged_files_are_refused_by_name(tmp_path: Path) -> None:
    path = make(tmp_path / "train.h5")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=r"train\.h5: .*truncated file"):
        Reader(path)
    path.write_bytes(b"no HDF5 at all")
    with pytest.raises(DataError, match=r"train\.h5: .*signature not found"):
        Reader(path)
