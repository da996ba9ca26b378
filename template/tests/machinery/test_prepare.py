"""Which folders of a source are splits, and which are classes."""

from importlib import import_module
from pathlib import Path

import pytest
from toys import PACKAGE

prepare = import_module(f"{PACKAGE.name}.prepare")  # your own: the toy has no files to convert


def folders(tmp_path: Path, names: list[str]) -> Path:
    for name in names:
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("names", "splits"),
    [
        (["cat", "dog"], {}),
        (["cat", "test"], {}),  # one class that is called so
        (["train", "val"], {"train": "train", "val": "val"}),
        (["seg_test", "seg_train"], {"test": "seg_test", "train": "seg_train"}),
        (["Training", "notes", "validation"], {"train": "Training", "val": "validation"}),
    ],
)
def test_splits_are_found_by_usual_names(
    tmp_path: Path, names: list[str], splits: dict[str, str]
) -> None:
    source = folders(tmp_path, names)
    assert prepare.split_folders(source) == {split: source / name for split, name in splits.items()}


@pytest.mark.parametrize(
    "names", [["dev", "train"], ["fold1", "fold2"], ["test", "val"], ["train", "train_b", "val"]]
)
def test_what_only_looks_like_splits_is_refused(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(prepare.DataError, match="look like splits"):
        prepare.split_folders(folders(tmp_path, names))
