"""`prepare` fills the data folder, whole or not at all, and says what it did in a few lines."""

import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from .conftest import Project, save

FILES = {  # what a split is in the data folder
    "imagefolder": ("train", "val"),
    "hdf5": ("train.h5", "val.h5"),
    "lmdb": ("train.lmdb", "val.lmdb"),
    "webdataset": ("train-000000.tar", "val-000000.tar"),
}
Prepare = Callable[..., str]


def run_main(project: Project, *flags: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["prepare", *map(str, flags)])
        project.module("prepare").main()


@pytest.fixture
def prepare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Prepare:
    """A function that runs the command here, in a folder of its own, and gives what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(project: Project, *flags: Any) -> str:
        capsys.readouterr()
        run_main(project, *flags)
        return "".join(capsys.readouterr())

    return run


@pytest.fixture
def fails(prepare: Prepare) -> Callable[..., str]:
    """A function that gives the message of a command that is refused, and leaves nothing."""

    def run(project: Project, *flags: Any, code: int = 1) -> str:
        before = everything(Path())
        with pytest.raises(project.module("base.errors").UserError) as caught:
            prepare(project, *flags)
        assert caught.value.exit_code == code
        assert everything(Path()) == before, "nothing is left behind"
        return str(caught.value)

    return run


def everything(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def reader_of(project: Project, split: str = "train", data: str = "data") -> Any:
    return project.module("data.reader").Reader(Path(data, split))


def contents(project: Project, split: str = "train", data: str = "data") -> Any:
    reader = reader_of(project, split, data)
    return reader.classes, reader.targets.tolist(), reader.read(np.arange(len(reader))).tolist()


def test_a_source_with_splits_is_written_as_it_is(
    project: Project, source: Path, prepare: Prepare
) -> None:
    said = prepare(project, "--source", source)
    assert said.splitlines() == [
        "data is ready: 24 train, 9 val images (train with --batch-size 24 or less), 3 classes. "
        f"Next: python -m {project.package}.train"
    ]
    written = {path.name for path in Path("data").iterdir() if path.name[0] != "."}
    assert written - {"classes.txt"} == set(FILES[project.data_format])
    assert len(contents(project)[1]) == 24
    assert len(contents(project, "val")[1]) == 9
    assert not [name for name in everything(Path("data")) if ".partial" in name]


def test_formats_hold_the_same_samples_in_the_same_order(
    project: Project, folder_project: Project, prepare: Prepare
) -> None:
    random = np.random.default_rng(0)
    for name in ("b", "a", "ab"):
        for n in range(7):
            save(Path("mine", name, f"{n}.png"), random.integers(0, 256, (5, 5, 3), np.uint8))
    prepare(project, "--source", "mine")
    prepare(folder_project, "--source", "mine", "--data-dir", "folders")
    for split in ("train", "val"):
        assert contents(project, split) == contents(folder_project, split, "folders")


def test_the_demo_is_scikit_learn_s_digits(project: Project, prepare: Prepare) -> None:
    from sklearn.datasets import load_digits

    said = prepare(project, "--demo")
    assert "data is ready: 1,438 train, 359 val images, 10 classes." in said
    digits = load_digits()
    images = (digits.images * 255 / 16).round().astype(np.uint8)
    expected = sorted((int(t), i.tobytes()) for t, i in zip(digits.target, images, strict=True))
    found = []
    for split in ("train", "val"):
        reader = reader_of(project, split)
        pixels = reader.read(np.arange(len(reader)))[..., 0]
        found += [(int(t), i.tobytes()) for t, i in zip(reader.targets, pixels, strict=True)]
    assert sorted(found) == expected


def test_complete_data_is_said_and_left_alone(
    project: Project, source: Path, prepare: Prepare
) -> None:
    prepare(project, "--source", source)
    before = {name: os.stat(name).st_mtime_ns for name in everything(Path("data"))}
    assert "data is complete: 24 train, 9 val images" in prepare(project, "--source", source)
    assert {name: os.stat(name).st_mtime_ns for name in everything(Path("data"))} == before


def test_force_replaces_all_splits(project: Project, source: Path, prepare: Prepare) -> None:
    for name in ("train", "val", "test"):
        shutil.copytree(source / "val", Path("mine", name))
    prepare(project, "--source", "mine")
    assert len(reader_of(project, "test")) == 9
    Path("data/notes.txt").write_text("mine")
    prepare(project, "--source", source, "--force")
    assert len(reader_of(project)) == 24
    with pytest.raises(project.module("base.errors").DataError, match="not found"):
        reader_of(project, "test")
    assert Path("data/notes.txt").read_text() == "mine"


def test_a_split_test_is_prepared_and_usual_names_are_said(
    project: Project, source: Path, prepare: Prepare
) -> None:
    for name, split in (("Train", "train"), ("valid", "val"), ("Testing", "val")):
        shutil.copytree(source / split, Path("mine", name))
    save(Path("mine/Train/left/x.heic.png"), np.zeros((12, 12, 3), np.uint8)).rename(
        "mine/Train/left/x.heic"
    )
    said = prepare(project, "--source", "mine")
    for line in ("mine/Train is taken as train", "mine/valid is taken as val"):
        assert line in said
    assert "mine/Testing is taken as test" in said
    assert "mine/Train: files that are not read: 1 .heic" in said
    assert "24 train, 9 val, 9 test images" in said


def test_unreadable_images_stop_it_or_are_left_out(
    project: Project, source: Path, prepare: Prepare, fails: Any
) -> None:
    shutil.copytree(source, "mine")
    for n in (0, 3):
        Path(f"mine/train/left/00{n}.png").write_bytes(b"")
    message = fails(project, "--source", "mine")
    assert message.splitlines() == [
        "2 unreadable images:",
        "  mine/train/left/000.png: the file is empty",
        "  mine/train/left/003.png: the file is empty",
        "Nothing was written. --skip-bad leaves them out.",
    ]
    said = prepare(project, "--source", "mine", "--skip-bad")
    assert "left out 2 unreadable images:" in said
    assert "22 train, 9 val images" in said
    assert reader_of(project).targets.tolist() == [0] * 6 + [1] * 8 + [2] * 8


def test_many_unreadable_images_are_counted(
    folder_project: Project, source: Path, fails: Any
) -> None:
    shutil.copytree(source, "mine")
    for path in Path("mine/train").glob("*/*"):
        path.write_bytes(b"")
    lines = fails(folder_project, "--source", "mine").splitlines()
    assert (len(lines), lines[0], lines[-2]) == (22, "24 unreadable images:", lines[20])


def test_a_class_or_split_without_a_readable_image_is_refused(
    project: Project, source: Path, fails: Any
) -> None:
    shutil.copytree(source, "mine")
    for path in Path("mine/train/left").iterdir():
        path.write_bytes(b"")
    message = fails(project, "--source", "mine", "--skip-bad")
    assert "mine/train has no readable image of class 'left' for train" in message
    shutil.copytree(source / "train", "mine/train", dirs_exist_ok=True)
    for path in Path("mine/val").glob("*/*"):
        path.write_bytes(b"")
    message = fails(project, "--source", "mine", "--skip-bad")
    assert "mine/val has no readable image" in message


def test_a_class_too_small_to_be_split_keeps_its_number(project: Project, prepare: Prepare) -> None:
    for name, count in (("a", 1), ("b", 4), ("c", 4)):
        for n in range(count):
            save(Path("mine", name, f"{n}.png"), np.zeros((4, 4, 3), np.uint8))
    prepare(project, "--source", "mine")
    train, val = (reader_of(project, split) for split in ("train", "val"))
    assert train.classes == val.classes == ["a", "b", "c"]
    assert (train.targets.tolist(), val.targets.tolist()) == ([0, 1, 1, 1, 2, 2, 2], [1, 2])


def test_mixed_sizes_are_said_and_image_size_decides_what_hdf5_stores(
    project: Project, prepare: Prepare, capsys: Any
) -> None:
    for split in ("train", "val"):
        for n, shape in enumerate([(20, 30, 3), (40, 26, 3), (26, 50, 3)]):
            save(Path("mine", split, "a", f"{n}.png"), np.zeros(shape, np.uint8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["prepare", "--source", "mine"])
        project.module("prepare").main()
    assert "resized and cropped to 26 x 26" in capsys.readouterr().err
    assert tuple(reader_of(project).shape) == (26, 26, 3)
    if project.data_format == "hdf5":
        prepare(project, "--source", "mine", "--force", "--image-size", 10)
        assert tuple(reader_of(project, "val").shape) == (10, 10, 3)


def test_images_of_more_than_8_bits_are_refused(project: Project, fails: Any) -> None:
    for n in range(4):
        save(Path("mine/a", f"{n}.png"), np.full((4, 4), 4095, np.uint16))
    said = fails(project, "--source", "mine")
    assert "0.png: pixels of 4095 to 4095: save it with 8 bits, or set GRAY_BITS in" in said


def test_one_split_without_the_other_is_refused(
    project: Project, source: Path, prepare: Prepare, fails: Any
) -> None:
    prepare(project, "--source", source)
    val = Path("data", FILES[project.data_format][1])
    shutil.rmtree(val) if val.is_dir() else val.unlink()
    message = fails(project, "--source", source)
    assert "train" in message
    assert "--force" in message
    prepare(project, "--source", source, "--force")
    assert len(reader_of(project, "val")) == 9


def test_damaged_complete_data_is_named(
    project_of: Any, source: Path, prepare: Prepare, fails: Any
) -> None:
    project = project_of("hdf5")
    prepare(project, "--source", source)
    os.truncate("data/train.h5", 3000)
    message = fails(project, "--source", source)
    assert "data/train.h5" in message


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ((), "one of --demo and --source"),
        (("--demo", "--source", "x"), "one of --demo and --source"),
        (("--demo", "--val-fraction", 0), "--val-fraction must be above 0 and below 1, not 0"),
        (("--demo", "--val-fraction", 1), "--val-fraction must be above 0 and below 1, not 1"),
        (("--source", "data/x"), "lie within each other"),
        (("--source", "."), "lie within each other"),
    ],
)
def test_wrong_flags_are_refused(
    folder_project: Project, fails: Any, flags: tuple[Any, ...], says: str
) -> None:
    assert says in fails(folder_project, *flags, code=2)


def test_a_missing_or_empty_source_is_refused(folder_project: Project, fails: Any) -> None:
    Path("empty").mkdir()
    assert "empty has no images as <class>/<image>" in fails(folder_project, "--source", "empty")
    Path("file").write_text("")
    for source, says in (("nowhere", "No such file"), ("file", "Not a directory")):
        result = folder_project.run("prepare", "--source", source, cwd=Path())
        assert (result.returncode, result.stderr.count("\n")) == (1, 1)
        assert result.stderr.startswith(f"error: {source}: {says}")
        assert not Path("data").exists()


def killed_at(project: Project, flags: list[str], moment: int) -> None:
    """Run it, and die without a word at the n-th file that is moved."""
    real, count = os.replace, 0

    def replace(*arguments: Any) -> None:
        nonlocal count
        count += 1
        if count == moment:
            os._exit(9)
        real(*arguments)

    os.replace = replace
    run_main(project, *flags)


def test_a_run_killed_at_any_moment_leaves_no_mixture(
    project: Project, source: Path, prepare: Prepare
) -> None:
    Path("old").mkdir()
    for split in ("train", "val"):
        save(Path("old", split, "old", "0.png"), np.zeros((12, 12, 3), np.uint8))
    context, moment, code = multiprocessing.get_context("fork"), 0, 9
    seen = set()
    while code == 9:
        moment += 1
        shutil.rmtree("data", ignore_errors=True)
        prepare(project, "--source", "old")
        flags = ["--source", str(source), "--force"]
        process = context.Process(target=killed_at, args=(project, flags, moment))
        process.start()
        process.join()
        code = process.exitcode
        states = set()
        for split in ("train", "val"):
            try:
                states.add(tuple(reader_of(project, split).classes))
            except project.module("base.errors").DataError:
                states.add(())
        assert len(states - {()}) <= 1, f"old and new side by side at move {moment}"
        seen.add(tuple(sorted(states)))
        prepare(project, *flags)
        assert (len(reader_of(project)), len(reader_of(project, "val"))) == (24, 9)
        assert not Path("data/.partial").exists()
    assert moment >= 5, "it was killed at every move"
    if project.data_format != "webdataset":  # which refuses shards of which some may be missing
        assert (("old",),) in seen, "before the first move the old data are there"


def test_an_image_of_each_kind_is_prepared_and_read(project: Project, prepare: Prepare) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (9, 9, 3), np.uint8)
    image = Image.fromarray(noise)
    for split in ("train", "val"):
        Path("mine", split, "a").mkdir(parents=True)
        for kind in ("png", "jpg", "gif", "jfif", "tif", "webp", "bmp", "JPEG", "ppm"):
            image.save(Path("mine", split, "a", f"0.{kind}"), None if kind != "jfif" else "jpeg")
    assert "9 train, 9 val images" in prepare(project, "--source", "mine")
    read = project.module("data.images").read
    expected = [read(str(path)).tolist() for path in sorted(Path("mine/train/a").iterdir())]
    assert contents(project)[2] == expected
