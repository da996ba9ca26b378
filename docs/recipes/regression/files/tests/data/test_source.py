"""A table of numbers is read as it stands. This file is yours to change with `data/source.py`."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from myproj.base.errors import DataError
from myproj.data.source import checked, counted, describe_targets, find_splits, scan
from myproj.data.storage import Reader, split_path
from myproj.prepare import PrepareConfig, main

HEADER = "file,angle [deg],x"


def write(root: Path, *lines: str, header: str = HEADER) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    text = "\n".join([header, *lines]) + "\n"
    (root / "targets.csv").write_text(text, encoding="utf-8")
    for line in lines:
        file = root / line.partition(",")[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (6, 8)).save(file)
    return root


def test_each_image_has_the_numbers_of_its_line(tmp_path: Path) -> None:
    lines = ["b/2.png,-3,1e-4", "a é.png, 0.5 ,7", '"a,b.png",1,"-0.25"']
    tree = scan(write(tmp_path, *lines[:2]))
    (tmp_path / "targets.csv").write_text("\n".join([HEADER, *lines]), encoding="utf-8-sig")
    tree = scan(tmp_path)
    assert tree.classes == ["angle [deg]", "x"]
    assert tree.targets.dtype == np.float32
    assert np.array_equal(tree.targets, np.float32([[-3, 1e-4], [0.5, 7], [1, -0.25]]))
    assert [tree.names[index] for index in range(3)] == ["b/2.png", "a é.png", "a,b.png"]
    assert tree.path(0) == str(tmp_path / "b/2.png")
    assert describe_targets(tree) == [
        "angle [deg]: -3 to 1, mean -0.5, deviation 1.78",
        "x: -0.25 to 7, mean 2.25, deviation 3.36",
    ]


def test_columns_are_counted_and_the_first_of_many_described(tmp_path: Path) -> None:
    assert counted(["a"]) == "1 number for each image"
    tree = scan(write(tmp_path, "1.png" + ",1" * 7, header="file,a,b,c,d,e,f,g"))
    assert counted(tree.classes) == "7 numbers for each image"
    assert describe_targets(tree)[4:] == ["e: 1 to 1, mean 1, deviation 0", "and 2 more"]


@pytest.mark.parametrize(
    ("header", "lines", "said"),
    [
        ("image,x", ["a.png,1"], "has to begin with a line of names, such as file,angle"),
        ("file", ["a.png"], "has to begin with a line of names"),
        ("file,x,", ["a.png,1,2"], "has to begin with a line of names"),
        ("file,x,x", ["a.png,1,2"], "has two columns of one name: x, x"),
        ("file,x", [], "names no image"),
        ("file,x", ["a.png,1,2"], "line 2: not a file and 1 number for each image"),
        ("file,x,y", ["a.png,1,2", "b.png,1"], "line 3: not a file and 2 numbers for each image"),
        ("file,x", ["a.png,1", "b.png,"], "line 3: '' is no number"),
        ("file,x", ["a.png,one"], "line 2: 'one' is no number, such as -3.5"),
        ("file,x", ["a.png,nan"], "line 2: 'nan' is no number"),
        ("file,x", ["a.png,1e39"], "line 2: '1e39' is no number"),
        ("file,x", ["a.png,1", "a.png,2"], "line 3: a.png has been named before"),
    ],
)
def test_a_table_that_cannot_be_understood_is_refused(
    header: str, lines: list[str], said: str, tmp_path: Path
) -> None:
    write(tmp_path, *lines, header=header)
    with pytest.raises(DataError, match=f"targets.csv.*{said}"):
        scan(tmp_path)


def test_images_elsewhere_are_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "root", "1.png,1", header="file,x")
    for name in ("../1.png", "a/../../1.png", str(tmp_path / "1.png")):
        (root / "targets.csv").write_text(f"file,x\n{name},1\n", encoding="utf-8")
        with pytest.raises(DataError, match=r"targets\.csv, line 2: .*1\.png does not lie below"):
            scan(root)


def test_a_table_that_is_not_utf_8_or_not_there_or_empty_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"targets\.csv: No such file"):
        scan(tmp_path)
    (tmp_path / "targets.csv").write_bytes(b"file,x\n\xff.png,1\n")
    with pytest.raises(DataError, match=r"targets\.csv: .*can't decode"):
        scan(tmp_path)
    (tmp_path / "targets.csv").write_bytes(b"")
    with pytest.raises(DataError, match=r"targets\.csv has to begin with a line of names"):
        scan(tmp_path)


def test_numbers_come_back_from_every_format_and_bad_images_leave_with_theirs(
    tmp_path: Path,
) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    write(source / "train", "x/1.png,0.1,1e-30", "x/2.png,9,9", "3.png,-12345.678,3e30")
    write(source / "val", "1.png,0.3,5")
    (source / "train/x/2.png").write_bytes(b"no image")
    assert main(PrepareConfig(source=source, data_dir=data, skip_bad=True)) == 0
    train, val = (Reader(split_path(data, split)) for split in ("train", "val"))
    assert train.classes == val.classes == ["angle [deg]", "x"]
    assert np.array_equal(train.targets, np.float32([[0.1, 1e-30], [-12345.678, 3e30]]))
    assert np.array_equal(val.targets, np.float32([[0.3, 5]]))
    assert train.targets.dtype == val.targets.dtype == np.float32


def test_a_table_for_all_images_is_split_by_chance(tmp_path: Path) -> None:
    source = write(tmp_path, *(f"{n}.png,{n},{-n}" for n in range(20)))
    train, val = find_splits(source, 0.2, 0)
    assert (len(train), len(val)) == (16, 4)
    found = np.concatenate([train.targets, val.targets])
    assert sorted(found[:, 0].tolist()) == list(range(20))
    assert np.array_equal(found[:, 1], -found[:, 0])


def test_what_cannot_be_learned_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source / "train", "1.png,1,5", "2.png,2,5", "3.png,3,6")
    write(source / "val", "1.png,1,1")
    (source / "train/3.png").write_bytes(b"no image")
    config = PrepareConfig(source=source, data_dir=tmp_path / "data", skip_bad=True)
    with pytest.raises(DataError, match="'x' is the same number for each readable image to train"):
        main(config)
    (source / "val/1.png").write_bytes(b"no image")
    with pytest.raises(DataError, match="no readable image is left for val"):
        (source / "train/3.png").write_bytes((source / "train/1.png").read_bytes())
        main(config)
    write(source / "val", "1.png,1,1", header="file,x,angle [deg]")
    with pytest.raises(DataError, match="different classes: in another order"):
        main(config)
    write(source / "val", "1.png,1,1", header="file,x,z")
    with pytest.raises(DataError, match=r"only one of them has angle \[deg\], z"):
        main(config)
    with pytest.raises(DataError, match="--leaves is for class folders"):
        find_splits(source, 0.2, 0, leaves=True)
    assert not (tmp_path / "data").exists()


def test_targets_that_are_no_numbers_are_refused() -> None:
    whole = checked(np.arange(4).reshape(2, 2), ["a", "b"], "here")
    assert whole.dtype == np.float32 and whole.tolist() == [[0, 1], [2, 3]]
    for wrong in (np.ones((2, 3)), np.ones(2), np.ones((2, 2), bool)):
        with pytest.raises(DataError, match=r"^here is .* not 2 numbers for each image"):
            checked(wrong, ["a", "b"], "here")
    with pytest.raises(DataError, match=r"^here\[1, 0\] is nan, no finite number"):
        checked(np.array([[0, 1], [np.nan, 2]]), ["a", "b"], "here")


@pytest.mark.slow
def test_the_demo_knows_by_how_much_a_scan_is_turned(tmp_path: Path) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    assert main(PrepareConfig(demo=True, data_dir=tmp_path)) == 0
    train, val = (Reader(split_path(tmp_path, split)) for split in ("train", "val"))
    assert (len(train), len(val), train.classes) == (1437, 360, ["angle [deg]"])
    assert train.targets.min() >= -45 and train.targets.max() <= 45
    scans = (datasets.load_digits().images * 255 / 16).round().astype(np.uint8)
    order = np.random.default_rng(0).permutation(1797)
    for index, own in ((0, order[360]), (7, order[367])):
        pixels = train.read(np.array([index]))[0, :, :, 0]
        back = Image.fromarray(pixels).rotate(-float(train.targets[index, 0]), Image.BICUBIC)
        small = np.asarray(back.resize((8, 8), Image.BOX), float)
        assert np.corrcoef(small.ravel(), scans[own].ravel())[0, 1] > 0.9
