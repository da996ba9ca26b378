"""What `prepare` makes of a folder: which folders are splits, which images become val."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
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


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two classes of five images, below folders and beside files that are not read."""
    folder = tmp_path / "source"
    for number in range(10):
        file = folder / "ba"[number % 2] / "inner" / f"{number}.PNG"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (4, 4), 20 * number).save(file)
    for name in ("a/.1.png", "a/notes", ".b/1.png", "b/.c/1.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    try:
        prepare.scan(folder)
    except prepare.DataError as error:
        pytest.skip(f"this project reads other folders: {error}")
    return folder


def run(capsys: pytest.CaptureFixture[str], *flags: object) -> str:
    """Run `prepare`; returns what it printed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["prepare", *map(str, flags)])
        prepare.main()
    return "".join(capsys.readouterr())


def test_a_folder_is_split_class_by_class(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = source.parent / "data"
    flags = ("--source", source, "--data-dir", data, "--val-fraction", 0.4)
    said = run(capsys, *flags)
    assert "is ready: 6 train, 4 val images (train with --batch-size 6 or less), 2 classes" in said
    assert f".train --data-dir {data}" in said and not (data / ".partial").exists()
    assert "files that are not read: 1 no suffix\n" in said
    train, val = (prepare.Reader(data / split, (4, 4)) for split in ("train", "val"))
    assert train.classes == ["a", "b"]
    assert (train.targets.tolist(), val.targets.tolist()) == ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1])
    pixels = np.concatenate([reader.read(np.arange(len(reader))) for reader in (train, val)])
    assert sorted(pixels[:, 0, 0, 0].tolist()) == [20 * number for number in range(10)]
    assert val.read(np.arange(4))[:, 0, 0, 0].tolist() == [60, 180, 40, 80]
    (source / "a" / "bad.png").touch()
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    assert "is complete: 6 train, 4 val" in run(capsys, *flags)
    assert before == {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    with pytest.raises(prepare.DataError, match="1 unreadable images:"):
        run(capsys, *flags, "--force")
    assert "left out 1 unreadable" in run(capsys, *flags, "--force", "--skip-bad")
    (source / "c").mkdir()
    with pytest.raises(prepare.DataError, match="no readable image of class 'c' for train"):
        run(capsys, "--source", source, "--data-dir", source.parent / "new", "--skip-bad")
    assert not (source.parent / "new").exists()
    tree = prepare.scan(source)
    with pytest.raises(prepare.DataError, match="no readable image of class 'a' for val"):
        prepare.check_classes(tree.select(np.zeros(len(tree), bool)), "val")


@pytest.mark.parametrize(("fraction", "count"), [(0.01, 1), (0.5, 2), (0.99, 4)])
def test_val_takes_a_fraction_but_no_class_whole(source: Path, fraction: float, count: int) -> None:
    val = prepare.split_classes(prepare.scan(source), fraction, seed=0)["val"]
    assert np.bincount(val.targets).tolist() == [count, count]


def test_the_demo_has_the_digits(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    data = source.parent / "data"
    said = run(capsys, "--demo", "--data-dir", data)
    assert "ready: 1,438 train, 359 val images, 10 classes" in said and "not read" not in said
    pixels = prepare.Reader(data / "train", (8, 8)).read(np.arange(50))
    assert (pixels.min(), pixels.max(), len(np.unique(pixels))) == (0, 255, 17)


def test_a_photo_is_read_at_its_own_size(tmp_path: Path) -> None:
    Image.new("RGB", (64, 48)).save(tmp_path / "a.jpg")
    assert prepare.read(str(tmp_path / "a.jpg")).shape == (48, 64, 3)


def test_a_call_needs_one_source_that_is_not_the_target(tmp_path: Path) -> None:
    here: dict[str, object] = {"source": tmp_path}
    bad = [{}, here | {"demo": True}, here | {"data_dir": tmp_path / "inner"}]
    for wrong in [*bad, *({"demo": True, "val_fraction": fraction} for fraction in (0, 1))]:
        with pytest.raises(prepare.FlagError):
            prepare.PrepareConfig(**wrong)
