"""Images in class folders become tar files: each once, byte for byte, the same ones each time."""

import tarfile
from pathlib import Path

import numpy as np
import pytest
from conftest import call
from pngs import as_png

from toy.base.errors import DataError, FlagError, UserError
from toy.data.folders import Names, Tree
from toy.data.shards import Shards
from toy.tools import pack
from toy.tools.pack import PackConfig

COUNTS = {"train": 23, "val": 5}
CLASSES = ["cat é", "10", "9"]


def draw_trees(root: Path) -> tuple[Tree, Tree]:
    """Images of both splits in one folder each, with names and classes that are awkward."""
    trees = []
    for split, count in COUNTS.items():
        names = Names()
        for number in range(count):
            name = f"{number} a.b{'.PNG' if number % 2 else '.png'}"
            path = root / split / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(as_png(np.full((3, 2, 3), number, np.uint8)))
            names.extend([name])
        labels, places = np.arange(count) * 3 // count, np.zeros(count, int)
        trees.append(Tree(root / split, CLASSES, labels, names, places, [""]))
    return trees[0], trees[1]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose images `find_splits` finds, whatever a project's own looks for."""
    trees = draw_trees(tmp_path / "source")
    monkeypatch.setattr(pack, "find_splits", lambda *_: trees)
    return tmp_path / "source"


def packed(source: Path, folder: Path, **settings: int) -> Path:
    config = PackConfig(source, folder, **{"per_file": 10} | settings)  # type: ignore[arg-type]
    assert call(pack.main, config) == 0
    return folder


def test_each_image_is_there_once_with_its_bytes_and_its_class(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = packed(source, tmp_path / "new" / "tars")
    found = "23 images to train and 5 to validate in 4 files.\n"
    assert f"{folder} is ready: {found}" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["tars"]
    for split, count in COUNTS.items():
        reader = Shards(folder / f"{split}-*.tar")
        assert (len(reader), reader.classes) == (count, CLASSES)
        pixels = reader.read(np.arange(count))
        numbers = pixels[:, 0, 0, 0].astype(int)
        assert (pixels == numbers[:, None, None, None]).all()
        assert sorted(numbers) == list(range(count)) != numbers.tolist()
        assert reader.targets.tolist() == (numbers * 3 // count).tolist()
        paths = [source / split / f"{n} a.b{'.PNG' if n % 2 else '.png'}" for n in numbers]
        members = []
        for path in sorted(folder.glob(f"{split}-*.tar")):
            with tarfile.open(path) as tar:
                found = tar.getmembers()
                members += [tar.extractfile(m).read() for m in found[::2]]  # type: ignore[union-attr]
                names = [member.name.split(".") for member in found]
                keys = [key for key, kind in names if kind == "png"]
                assert names == [[key, kind] for key in keys for kind in ("png", "cls")]
        assert members == [path.read_bytes() for path in paths]


def test_the_same_images_and_seed_give_the_same_bytes(source: Path, tmp_path: Path) -> None:
    def content(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    one, again = (content(packed(source, tmp_path / name)) for name in ("one", "again"))
    other = content(packed(source, tmp_path / "other", seed=1))
    assert one == again and one.keys() == other.keys()
    assert one["train-000000.tar"] != other["train-000000.tar"]


def test_a_folder_that_is_there_is_left_as_it_is(source: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    packed(source, tmp_path / "empty")
    with pytest.raises(FlagError, match="empty is there already: choose a new folder"):
        packed(source, tmp_path / "empty")
    with pytest.raises(FlagError, match="lies in --source"):
        packed(source, source / "tars")


def test_images_that_cannot_be_read_are_named_and_nothing_is_written(
    source: Path, tmp_path: Path
) -> None:
    for split, name in (("train", "3 a.b.PNG"), ("val", "0 a.b.png")):
        (source / split / name).write_bytes(b"bad")
    with pytest.raises(DataError) as error:
        packed(source, tmp_path / "tars")
    said = str(error.value)
    assert said.startswith("nothing was written because of 2 unreadable images:\n  ")
    assert f"{source / 'train' / '3 a.b.PNG'}: not an image" in said
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_targets_that_are_no_class_numbers_are_refused(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = draw_trees(tmp_path / "more")
    for wrong in (np.ones((23, 2), int), np.array(["a.png"] * 23), np.ones(23)):
        tree = Tree(trees[0].root, CLASSES, wrong, trees[0].names, trees[0].places, [""])
        monkeypatch.setattr(pack, "find_splits", lambda *_, tree=tree: (tree, trees[1]))
        with pytest.raises(UserError, match="other targets than class numbers"):
            packed(source, tmp_path / "tars")


@pytest.mark.parametrize("wrong", [{"per_file": 0}, {"val_fraction": 0.0}, {"val_fraction": 1.0}])
def test_values_out_of_range_are_refused(tmp_path: Path, wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        PackConfig(tmp_path, **wrong)  # type: ignore[arg-type]
