"""A table of labels is read as it stands. This file is yours to change with `data/source.py`."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from myproj.base.errors import DataError
from myproj.data.source import checked, describe_targets, find_splits, scan
from myproj.data.storage import Reader, split_path
from myproj.prepare import PrepareConfig, main


def write(root: Path, *lines: str, header: str = "file,labels") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    text = "\n".join([header, *lines]) + "\n"
    (root / "labels.csv").write_text(text, encoding="utf-8")
    for line in lines:
        file = root / line.partition(",")[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (6, 8)).save(file)
    return root


def test_each_image_has_the_labels_of_its_line(tmp_path: Path) -> None:
    tree = scan(write(tmp_path, "b/2.png,dog;cat", "a.png,", 'a é.png,"traffic light; dog"'))
    assert tree.classes == ["cat", "dog", "traffic light"]
    assert tree.targets.dtype == np.float32
    assert tree.targets.tolist() == [[1, 1, 0], [0, 0, 0], [0, 1, 1]]
    assert tree.path(0) == str(tmp_path / "b/2.png")
    assert describe_targets(tree) == [
        "3 labels: cat, dog, traffic light; 1.3 per image on average, none for 1 images"
    ]


@pytest.mark.parametrize(
    ("header", "lines", "said"),
    [
        ("image,labels", ["a.png,cat"], "has to begin with the line file,labels"),
        ("file,labels", ["a.png,cat,dog"], "line 2: not a file and its labels"),
        ("file,labels", ["a.png,cat", "a.png,dog"], "line 3: a.png has been named before"),
        ("file,labels", ["a.png,", "b.png,"], "names no label"),
    ],
)
def test_a_table_that_cannot_be_understood_is_refused(
    header: str, lines: list[str], said: str, tmp_path: Path
) -> None:
    write(tmp_path, *lines, header=header)
    with pytest.raises(DataError, match=f"labels.csv.*{said}"):
        scan(tmp_path)


def test_images_elsewhere_are_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "root", "1.png,a")
    for name in ("../1.png", "a/../../1.png", str(tmp_path / "1.png")):
        (root / "labels.csv").write_text(f"file,labels\n{name},a\n", encoding="utf-8")
        with pytest.raises(DataError, match=r"labels\.csv, line 2: .*1\.png does not lie below"):
            scan(root)


def test_a_table_that_is_not_utf_8_or_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"labels\.csv: No such file"):
        scan(tmp_path)
    (tmp_path / "labels.csv").write_bytes(b"file,labels\n\xff.png,cat\n")
    with pytest.raises(DataError, match=r"labels\.csv: .*can't decode"):
        scan(tmp_path)


def test_labels_come_back_from_every_format_and_bad_images_leave_with_theirs(
    tmp_path: Path,
) -> None:
    source = tmp_path / "source"
    write(source / "train", "x/1.png,a;c", "x/2.png,b", "3.png,", "4.png,c;b")
    write(source / "val", "1.png,c", "2.png,a;b")
    (source / "train/x/2.png").write_bytes(b"no image")
    data = tmp_path / "data"
    assert main(PrepareConfig(source=source, data_dir=data, skip_bad=True)) == 0
    train, val = (Reader(split_path(data, split)) for split in ("train", "val"))
    assert train.classes == val.classes == ["a", "b", "c"]
    assert train.targets.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 1]]
    assert val.targets.tolist() == [[0, 0, 1], [1, 1, 0]]


def test_what_cannot_be_learned_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source / "train", "1.png,a", "2.png,b")
    write(source / "val", "1.png,a;b")
    (source / "train/2.png").write_bytes(b"no image")
    config = PrepareConfig(source=source, data_dir=tmp_path / "data", skip_bad=True)
    with pytest.raises(DataError, match="label 'b' has no readable image to train on"):
        main(config)
    write(source / "val", "1.png,a;z")
    with pytest.raises(DataError, match="different classes: only one of them has b, z"):
        main(config)
    with pytest.raises(DataError, match="--leaves is for class folders"):
        find_splits(source, 0.2, 0, leaves=True)


def test_targets_that_are_no_labels_are_refused() -> None:
    assert checked(np.eye(2, dtype=bool), ["a", "b"], "here").dtype == np.float32
    for wrong in (np.eye(2) / 2, np.eye(3), np.arange(2)):
        with pytest.raises(DataError, match=r"^here is .* not a 0 or 1 for each image"):
            checked(wrong, ["a", "b"], "here")


@pytest.mark.slow
def test_the_demo_knows_which_digits_are_in_an_image(tmp_path: Path) -> None:
    assert main(PrepareConfig(demo=True, data_dir=tmp_path)) == 0
    train, val = (Reader(split_path(tmp_path, split)) for split in ("train", "val"))
    assert (len(train), len(val), train.classes) == (1440, 360, list("0123456789"))
    pixels, labels = train.read(np.arange(1440)), train.targets.sum(axis=1)
    corners = pixels[..., 0].reshape(1440, 2, 8, 2, 8).any(axis=(2, 4)).sum(axis=(1, 2))
    assert (labels <= corners).all() and ((labels == 0) == (corners == 0)).all()
