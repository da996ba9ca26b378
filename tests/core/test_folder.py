"""Which images and classes a source has, and how it is split."""

import contextlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .conftest import Project


@pytest.fixture(scope="module")
def folder(folder_project: Project) -> Any:
    return folder_project.module("data.folder")


@pytest.fixture(scope="module")
def prepare(folder_project: Project) -> Any:
    return folder_project.module("prepare")


@pytest.fixture(scope="module")
def data_error(folder_project: Project) -> Any:
    return folder_project.module("base.errors").DataError


def tree(root: Path, *names: str) -> Path:
    """Make empty files: nothing here decodes them."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def names_of(found: Any) -> list[str]:
    return [os.path.relpath(found.path(i), found.root) for i in range(len(found))]


def image_folder(root: Path, extensions: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """What torchvision's ImageFolder finds: a copy of its two loops."""
    classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    paths, targets = [], []
    for number, name in enumerate(classes):
        for top, _, files in sorted(os.walk(root / name, followlinks=True)):
            for file in sorted(files):
                if file.lower().endswith(extensions):
                    paths.append(os.path.relpath(os.path.join(top, file), root))
                    targets.append(number)
    return paths, targets


def test_the_order_is_that_of_torchvision(folder: Any, tmp_path: Path) -> None:
    inner = ("a", "a-b", "a.b", "a/c", "a0", "B")
    files = [f"{name}/{place}/{n}.PNG" for name in ("b", "A", "a") for place in inner for n in "21"]
    tree(tmp_path, *files, "b/9.jpg", "b/10.jpg", "a/x.txt")
    found = folder.scan(tmp_path)
    assert (names_of(found), found.targets.tolist()) == image_folder(tmp_path, (".png", ".jpg"))
    assert found.classes == ["A", "a", "b"]


def test_hidden_files_and_folders_are_skipped(folder: Any, tmp_path: Path) -> None:
    tree(tmp_path, "a/1.png", "a/.2.png", "a/.x/3.png", ".git/4.png", "b/5.png")
    assert names_of(folder.scan(tmp_path)) == ["a/1.png", "b/5.png"]


def test_other_files_are_counted_by_suffix(folder: Any, tmp_path: Path) -> None:
    tree(tmp_path, "a/1.png", "a/2.heic", "a/3.HEIC", "a/notes", "b/4.gif", "b/5.jfif")
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert names_of(folder.scan(tmp_path)) == ["a/1.png", "b/4.gif", "b/5.jfif"]
    assert said.getvalue() == f"{tmp_path}: files that are not read: 2 .heic, 1 no suffix\n"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (("a/x.txt", "b/y.txt"), r"has no images as <class>/<image> \(.jpg"),
        (("1.png",), "has no images as <class>/<image>"),
    ],
)
def test_odd_folders_are_refused(
    folder: Any, data_error: Any, tmp_path: Path, files: tuple[str, ...], says: str
) -> None:
    root = tmp_path / "source"
    with pytest.raises(data_error, match=says):
        folder.scan(tree(root, *files))


def split_of(count: int) -> list[str]:
    return [f"{name}/{n}.png" for name in "ab" for n in range(count)]


def find(prepare: Any, root: Path, fraction: float = 0.25, seed: int = 0) -> Any:
    """The trees, and the lines that are printed."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        trees = prepare.find_splits(root, fraction, seed)
    return trees, said.getvalue().splitlines()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_split_parts_each_class_once_and_for_all(
    folder: Any, prepare: Any, tmp_path: Path, seed: int
) -> None:
    tree(tmp_path, *split_of(8), "c/0.png", "c/1.png", "d/0.png")
    trees, notes = find(prepare, tmp_path, seed=seed)
    train, val = trees["train"], trees["val"]
    assert notes == []
    assert sorted(names_of(train) + names_of(val)) == sorted(names_of(folder.scan(tmp_path)))
    assert np.bincount(val.targets, minlength=4).tolist() == [2, 2, 1, 0], "never the last one"
    again = find(prepare, tmp_path, seed=seed)[0]
    assert names_of(again["val"]) == names_of(val)
    assert names_of(find(prepare, tmp_path, seed=seed + 5)[0]["val"]) != names_of(val)


def test_the_split_stays_the_same_in_all_versions(prepare: Any, tmp_path: Path) -> None:
    tree(tmp_path, *split_of(8))
    val = names_of(find(prepare, tmp_path)[0]["val"])
    assert val == ["a/1.png", "a/5.png", "b/1.png", "b/6.png"]


def test_another_class_does_not_change_the_split_of_one(prepare: Any, tmp_path: Path) -> None:
    before = names_of(find(prepare, tree(tmp_path, *split_of(8)))[0]["val"])
    tree(tmp_path, *(f"aa/{n}.png" for n in range(9)))
    after = names_of(find(prepare, tmp_path)[0]["val"])
    assert [name for name in after if "aa" not in name] == before


USUAL = [
    {"train": "train", "val": "val"},
    {"train": "train", "val": "val", "test": "test"},
    {"Train": "train", "Val": "val"},
    {"training": "train", "validation": "val"},
    {"TRAIN": "train", "valid": "val", "Test": "test"},
    {"train_images": "train", "val_images": "val"},
    {"train2017": "train", "val2017": "val"},
    {"imgs-trainset": "train", "imgs-testing": "test", "imgs-valset": "val"},
]


@pytest.mark.parametrize("names", USUAL, ids="+".join)
def test_usual_names_of_splits_are_taken_and_said(
    prepare: Any, tmp_path: Path, names: dict[str, str]
) -> None:
    for name in names:
        tree(tmp_path / name, *split_of(2))
    trees, notes = find(prepare, tmp_path)
    assert {split: found.root.name for split, found in trees.items()} == {
        split: name for name, split in names.items()
    }
    assert all(found.classes == ["a", "b"] for found in trees.values())
    other = {name: split for name, split in names.items() if name != split}
    assert notes == [
        f"{tmp_path / name} is taken as {split}" for name, split in sorted(other.items())
    ]


def test_train_and_test_alone_leave_test_for_the_end(prepare: Any, tmp_path: Path) -> None:
    for name in ("seg_train/seg_train", "seg_test/seg_test"):  # as Kaggle unpacks it
        tree(tmp_path / name, *split_of(4))
    tree(tmp_path / "seg_pred", "1.png", "2.png")
    trees, notes = find(prepare, tmp_path)
    assert {split: len(found) for split, found in trees.items()} == {
        "train": 6,
        "val": 2,
        "test": 8,
    }
    text = "\n".join(notes)
    assert "seg_test is taken as test" in text
    assert f"{tmp_path / 'seg_pred'} is not read" in text
    assert "25% of train become val" in text


REFUSED = {
    "train alone": (["train/a/1.png"], "has train, which look like splits"),
    "val alone": (["val/a/1.png"], "has val, which look like splits"),
    "two that are train": (
        ["train/a/1.png", "training/a/1.png", "val/a/1.png"],
        "look like splits",
    ),
    "splits without classes": (["train/1.png", "val/1.png"], "train has no images as"),
    "folds": (["fold1/a/1.png", "fold2/a/1.png"], "look like splits"),
    "tr and te": (["tr/a/1.png", "te/a/1.png"], "look like splits"),
    "CycleGAN's": (["trainA/1.png", "trainB/1.png", "testA/1.png"], "look like splits"),
    "a class only in val": (
        ["train/a/1.png", "val/a/1.png", "val/b/1.png"],
        "different classes: only one of them has b",
    ),
    "a class only in test": (
        ["train/a/1.png", "val/a/1.png", "test/a/1.png", "test/b/1.png"],
        "different classes: only one of them has b",
    ),
    "one image per class": (["a/1.png", "b/1.png"], "two images"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_only_looks_like_splits_is_refused(
    prepare: Any, data_error: Any, tmp_path: Path, case: str
) -> None:
    files, says = REFUSED[case]
    with pytest.raises(data_error, match=says):
        find(prepare, tree(tmp_path, *files))


@pytest.mark.parametrize("names", [("train", "car"), ("valley", "train_station"), ("test", "x")])
def test_a_class_may_be_called_train(prepare: Any, tmp_path: Path, names: tuple[str, ...]) -> None:
    tree(tmp_path, *(f"{name}/{n}.png" for name in names for n in range(4)))
    assert find(prepare, tmp_path)[0]["train"].classes == sorted(names)
