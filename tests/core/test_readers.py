"""The four formats give the same samples, in any process, and name what they cannot read."""

import io
import multiprocessing
import pickle
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import lmdb
import numpy as np
import pytest
from PIL import Image

from .conftest import FORMATS, Project, save

Made = tuple[Project, Path]


def fill(project: Project, source: Path, data: Path) -> Path:
    """What `prepare` writes of a source that has train and val."""
    folder, reader = project.module("data.folder"), project.module("data.reader")
    data.mkdir(parents=True, exist_ok=True)
    for split in ("train", "val"):
        size = (None,) if project.data_format == "hdf5" else ()
        reader.write(data / split, folder.scan(source / split), *size)
    return data


@pytest.fixture(scope="module")
def filled(project: Project, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A project of each format in turn, and the same images in it."""
    return project, fill(project, source, tmp_path_factory.mktemp("data") / "data")


def reader_of(project: Project, data: Path, split: str = "train", size: Any = None) -> Any:
    return project.module("data.reader").Reader(data / split, size)


def pixels(source: Path, split: str = "train") -> np.ndarray:
    files = sorted((source / split).glob("*/*.png"))
    return np.stack([np.asarray(Image.open(file).convert("RGB")) for file in files])


def test_every_format_gives_the_source_s_images_in_their_order(filled: Made, source: Path) -> None:
    reader = reader_of(*filled)
    assert reader.classes == ["left", "middle", "right"]
    assert reader.targets.tolist() == [0] * 8 + [1] * 8 + [2] * 8
    assert reader.targets.dtype == np.int64
    assert (len(reader), tuple(reader.shape), np.dtype(reader.dtype)) == (24, (12, 12, 3), np.uint8)
    indices = np.array([23, 0, 5, 5, 17])
    assert np.array_equal(reader.read(indices), pixels(source)[indices])


def test_what_is_read_may_be_changed_and_does_not_change_the_data(filled: Made) -> None:
    reader = reader_of(*filled)
    first = reader.read(np.arange(3))
    kept = first.copy()
    first[...] = 0
    assert np.array_equal(reader.read(np.arange(3)), kept)


def test_a_size_is_reached_by_resizing_and_cropping(filled: Made, source: Path) -> None:
    project, data = filled
    fit = project.module("data.images").fit
    reader = reader_of(project, data, size=(8, 6))
    assert tuple(reader.shape) == (8, 6, 3)
    expected = np.stack([fit(image, 8, 6) for image in pixels(source)])
    assert np.array_equal(reader.read(np.arange(24)), expected)


def test_a_crop_of_ones_own_sees_each_image_and_its_index(filled: Made, source: Path) -> None:
    def crop(image: np.ndarray, size: tuple[int, int], index: int) -> np.ndarray:
        assert size == (8, 6)
        assert np.array_equal(image, pixels(source)[index])
        return image[:8, :6] + np.uint8(index)

    reader = reader_of(*filled, size=(8, 6))
    indices = np.array([20, 3])
    expected = pixels(source)[indices][:, :8, :6] + indices.astype(np.uint8)[:, None, None, None]
    assert np.array_equal(reader.read(indices, crop), expected)


def test_pixels_of_another_kind_need_an_edit_of_images_alone(
    project: Project, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images, reader = project.module("data.images"), project.module("data.reader")
    real = images.to_rgb

    def to_four(image: Image.Image) -> np.ndarray:
        rgb = real(image).astype(np.uint16)
        return np.concatenate([rgb, rgb[:, :, :1] * 200], axis=2)

    monkeypatch.setattr(images, "to_rgb", to_four)
    data = fill(project, source, tmp_path / "data")
    found = reader.Reader(data / "train", (6, 6) if project.data_format != "hdf5" else None)
    side = 12 if project.data_format == "hdf5" else 6
    assert (tuple(found.shape), np.dtype(found.dtype)) == ((side, side, 4), np.uint16)
    batch = found.read(np.arange(3))
    assert (batch.shape, batch.dtype) == ((3, side, side, 4), np.uint16)
    assert batch[..., 3].max() > 255


def read_elsewhere(reader: Any, indices: np.ndarray, queue: Any) -> None:
    queue.put(reader.read(indices))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_reader_that_has_read_is_safe_in_another_process(
    filled: Made, source: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    project, data = filled
    monkeypatch.setenv("PYTHONPATH", str(project.folder))
    reader, indices = reader_of(project, data), np.array([7, 21])
    reader.read(np.arange(3))
    assert np.array_equal(pickle.loads(pickle.dumps(reader)).read(indices), reader.read(indices))
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=read_elsewhere, args=(reader, indices, queue))
    process.start()
    found = queue.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0
    assert np.array_equal(found, pixels(source)[indices])
    assert np.array_equal(reader.read(indices), found), "and the first process reads on"


def test_missing_data_is_named_with_the_command_that_makes_it(
    project: Project, tmp_path: Path
) -> None:
    with pytest.raises(project.module("base.errors").DataError, match=r"train.*not found.*prepare"):
        reader_of(project, tmp_path)


def refused(made: Made, *says: str, read: bool = False) -> None:
    """The data is refused when it is opened, or not before it is read, in one line."""
    project, data = made
    with pytest.raises(project.module("base.errors").DataError) as caught:
        reader = reader_of(project, data, size=(12, 12))
        if read:
            reader.read(np.arange(len(reader)))
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in says), message


@pytest.fixture
def only(project_of: Callable[[str], Project], source: Path, tmp_path: Path) -> Any:
    """A function that gives the data in a format, to be spoiled."""

    def choose(data_format: str) -> Made:
        project = project_of(data_format)
        return project, fill(project, source, tmp_path / "data")

    return choose


BAD_FILES = {"empty": b"", "text": b"Dear reader", "PNG": b"\x89PNG\r\n\x1a\n" + bytes(50)}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_corrupt_image_is_named(only: Any, kind: str) -> None:
    project, data = only("imagefolder")
    (data / "train/middle/003.png").write_bytes(BAD_FILES[kind])
    refused((project, data), "train/middle/003.png", read=True)


def test_a_class_without_images_keeps_its_number(only: Any) -> None:
    project, data = only("imagefolder")
    for file in (data / "val/middle").iterdir():
        file.unlink()
    assert reader_of(project, data, "val").targets.tolist() == [0] * 3 + [2] * 3


def change_h5(change: Callable[[h5py.File], Any]) -> Callable[[Path], None]:
    def spoil(data: Path) -> None:
        with h5py.File(data / "train.h5", "r+") as file:
            change(file)

    return spoil


def instead(name: str, make: Callable[[np.ndarray], Any]) -> Callable[[Path], None]:
    def change(file: h5py.File) -> None:
        values = file[name][:]
        del file[name]
        file[name] = make(values)

    return change_h5(change)


def with_label(value: int) -> Callable[[np.ndarray], np.ndarray]:
    def make(labels: np.ndarray) -> np.ndarray:
        labels[5] = value
        return labels

    return make


def half(data: Path, name: str) -> None:
    content = (data / name).read_bytes()
    (data / name).write_bytes(content[: len(content) // 2])


BAD_H5: dict[str, tuple[Callable[[Path], Any], tuple[str, ...]]] = {
    "an empty file": (lambda d: (d / "train.h5").write_bytes(b""), ()),
    "half a file": (lambda d: half(d, "train.h5"), ("truncated",)),
    "another kind": (lambda d: (d / "train.h5").write_bytes(b"PK\3\4" * 999), ()),
    "no images": (change_h5(lambda f: f.pop("images")), ("images",)),
    "no labels": (change_h5(lambda f: f.pop("labels")), ("labels",)),
    "no classes": (change_h5(lambda f: f.attrs.pop("classes")), ("classes",)),
    "float images": (instead("images", lambda i: i / 255), ("float64",)),
    "flat images": (instead("images", lambda i: i[..., 0]), ("(24, 12, 12)",)),
    "a label too few": (instead("labels", lambda x: x[1:]), ("(23,)",)),
    "a label too high": (instead("labels", with_label(3)), ("labels[5]", "3")),
    "a negative label": (instead("labels", with_label(-1)), ("labels[5]", "-1")),
}


@pytest.mark.parametrize("case", BAD_H5)
def test_a_bad_hdf5_file_is_refused(only: Any, case: str) -> None:
    project, data = only("hdf5")
    spoil, says = BAD_H5[case]
    spoil(data)
    refused((project, data), "train.h5", *says)


@pytest.mark.parametrize("options", [{}, {"chunks": (5, 6, 12, 3)}, {"compression": "gzip"}])
def test_hdf5_files_that_others_wrote_are_read(only: Any, source: Path, options: Any) -> None:
    project, data = only("hdf5")
    with h5py.File(data / "train.h5", "w") as file:
        file.create_dataset("images", data=pixels(source), **options)
        file["labels"] = np.repeat(np.arange(3, dtype=np.uint8), 8)
        file.attrs["classes"] = np.array(["left", "middle", "right"], "S")
    reader = reader_of(project, data)
    indices = np.array([9, 2, 2, 23])
    assert np.array_equal(reader.read(indices), pixels(source)[indices])
    assert (reader.classes[0], reader.targets.dtype) == ("left", np.int64)
    assert pickle.loads(pickle.dumps(reader))._images is None, "a worker gets what is open"
    opened, reader._pid = reader._images, -1  # as in a forked process
    assert np.array_equal(reader.read(indices), pixels(source)[indices])
    assert reader._images is not opened


def test_grayscale_hdf5_has_one_channel(only: Any, source: Path) -> None:
    project, data = only("hdf5")
    instead("images", lambda images: images[..., :1])(data)
    assert reader_of(project, data).shape == (12, 12, 1)
    train, open_split = reader_of(project, data), project.module("data.info").open_split
    with pytest.raises(project.module("base.errors").DataError, match=r"val.*\(12, 12, 3\).*, 1\)"):
        open_split(data / "val", train)


def test_labels_that_are_not_integers_are_refused_by_the_task(only: Any) -> None:
    project, data = only("hdf5")
    train, val = reader_of(project, data), reader_of(project, data, "val")
    check = project.module("task").check_targets
    assert check(train, val) == [8, 8, 8]
    val.targets = val.targets / 2
    with pytest.raises(project.module("base.errors").DataError, match=r"are float64 \(9,\)"):
        check(train, val)
    val.targets = np.zeros((9, 2), np.int64)
    with pytest.raises(project.module("base.errors").DataError, match=r"are int64 \(9, 2\)"):
        check(train, val)


def test_a_model_of_other_inputs_than_images_says_so_in_predict(
    only: Any, source: Path, tmp_path: Path
) -> None:
    project, data = only("hdf5")
    for split in ("train", "val"):
        with h5py.File(data / f"{split}.h5", "r+") as file:
            images = file["images"][:, :, :, :1]
            del file["images"]
            file["images"] = images
    flags = ("--epochs=1", "--batch-size=8", "--max-samples=8", "--num-workers=0", "--device=cpu")
    result = project.run("train", *flags, "--data-dir", data, "--run-dir", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    result = project.run("predict", tmp_path / "run", source / "val/left/000.png")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "error: the model takes uint8 (12, 12, 1), but images are read as uint8 (12, 12, 3)\n"
    )


def test_a_corrupt_chunk_is_named(only: Any) -> None:
    project, data = only("hdf5")

    def change(file: h5py.File) -> None:
        images = file["images"][:]
        del file["images"]
        kept = file.create_dataset(
            "images", data=images, chunks=(1, *images.shape[1:]), compression="gzip"
        )
        kept.id.write_direct_chunk((5, 0, 0, 0), b"not what gzip writes")

    change_h5(change)(data)
    refused((project, data), "train.h5: images[5]", read=True)


def records(change: dict[bytes, bytes | None]) -> Callable[[Path], None]:
    def spoil(data: Path) -> None:
        path = str(data / "train.lmdb")
        with (
            lmdb.open(path, subdir=False, lock=False, map_size=1 << 24) as opened,
            opened.begin(write=True) as batch,
        ):
            for key, value in change.items():
                if value is None:
                    batch.delete(key)
                else:
                    batch.put(key, value)

    return spoil


def labels(values: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array(values))
    return buffer.getvalue()


FIFTH = (5).to_bytes(8, "big")
BAD_LMDB: dict[str, tuple[Callable[[Path], Any], tuple[str, ...], bool]] = {
    "an empty file": (lambda d: (d / "train.lmdb").write_bytes(b""), (), False),
    "half a file": (lambda d: half(d, "train.lmdb"), ("cut short",), False),
    "another kind": (lambda d: (d / "train.lmdb").write_bytes(b"PK\3\4" * 9999), (), False),
    "no labels": (records({b"labels": None}), ("'labels'",), False),
    "no classes": (records({b"classes": None}), ("'classes'",), False),
    "classes is no JSON": (records({b"classes": b"["}), ("classes",), False),
    "a label too high": (records({b"labels": labels([0] * 5 + [3])}), ("labels[5]", "3"), False),
    "an image missing": (records({FIFTH: None}), ("image 5",), True),
    "an image corrupt": (records({FIFTH: b"x"}), ("image 5", "not an image"), True),
}


@pytest.mark.parametrize("case", BAD_LMDB)
def test_a_bad_lmdb_file_is_refused(only: Any, case: str) -> None:
    project, data = only("lmdb")
    spoil, says, read = BAD_LMDB[case]
    spoil(data)
    refused((project, data), "train.lmdb", *says, read=read)


def test_a_forked_process_opens_an_lmdb_file_anew(only: Any) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    project, data = only("lmdb")
    reader_of(project, data).read(np.arange(3))
    known = project.module("data.reader").environments
    process = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(len(known)))
    process.start()
    process.join(60)
    assert known and process.exitcode == 0


def png(value: int, side: int = 4) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.full((side, side, 3), value, np.uint8)).save(buffer, "png")
    return buffer.getvalue()


def write_tar(path: Path, members: list[tuple[str, bytes]], **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w", **options) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture(scope="module")
def tar_project(project_of: Callable[[str], Project]) -> Project:
    return project_of("webdataset")


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tars_that_others_wrote_are_read(tar_project: Project, tmp_path: Path, format: int) -> None:
    long = "a" * 90 + "/" + "b" * 80
    write_tar(
        tmp_path / "train-0.tar",
        [
            ("x.1.cls", b"2\n"),
            ("x.png", png(10)),
            ("x.cls", b"002"),
            (f"{long}.PNG", png(20)),
            (f"{long}.json", b'{"label": 0, "source": "z"}'),
            ("x.seg.png", png(99)),
            ("README", b"hello"),
        ],
        format=format,
    )
    write_tar(tmp_path / "train-1.tar", [("x.png", png(30)), ("x.json", b'{"label": "1"}')])
    write_tar(tmp_path / "val-0.tar", [("x.png", png(30)), ("x.cls", b"0")])
    reader = reader_of(tar_project, tmp_path)
    assert reader.classes == ["0", "1", "2"], "numbers as names"
    assert reader.targets.tolist() == [2, 0, 1]
    assert reader.read(np.arange(3))[:, 0, 0, 0].tolist() == [10, 20, 30]
    assert reader_of(tar_project, tmp_path, "val").classes == reader.classes


def test_labels_may_be_names(tar_project: Project, tmp_path: Path) -> None:
    members = [("1.png", png(1)), ("1.cls", b"dog"), ("2.png", png(2)), ("2.cls", b"cat")]
    write_tar(tmp_path / "train-0.tar", members)
    write_tar(tmp_path / "val-0.tar", members[:2])
    assert reader_of(tar_project, tmp_path).targets.tolist() == [1, 0]
    val = reader_of(tar_project, tmp_path, "val")
    assert (val.classes, val.targets.tolist()) == (["cat", "dog"], [1])
    (tmp_path / "classes.txt").write_text("dog\ncat\nowl\n")
    assert reader_of(tar_project, tmp_path).targets.tolist() == [0, 1]


def test_numbers_are_classes_in_their_order(tar_project: Project, tmp_path: Path) -> None:
    ten, two = [("10.png", png(10)), ("10.cls", b"10")], [("2.png", png(2)), ("2.cls", b"2")]
    write_tar(tmp_path / "train-0.tar", ten + two)
    reader = reader_of(tar_project, tmp_path)
    assert reader.classes == [str(number) for number in range(11)]
    assert reader.targets.tolist() == [10, 2]


def test_the_index_follows_the_shards(tar_project: Project, tmp_path: Path) -> None:
    shard = write_tar(tmp_path / "train-0.tar", [("1.png", png(1)), ("1.cls", b"0")])
    assert len(reader_of(tar_project, tmp_path)) == 1
    assert (tmp_path / ".train-index.npz").exists()
    write_tar(shard, [("1.png", png(1)), ("1.cls", b"0"), ("2.png", png(2)), ("2.cls", b"1")])
    assert len(reader_of(tar_project, tmp_path)) == 2
    (tmp_path / ".train-index.npz").write_bytes(b"PK")
    assert len(reader_of(tar_project, tmp_path)) == 2


def test_an_index_that_cannot_be_written_stays_in_memory(
    tar_project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path, content: Any) -> None:
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(tar_project.module("data.reader"), "write_atomic", read_only)
    write_tar(tmp_path / "train-0.tar", [("1.png", png(7)), ("1.cls", b"0")])
    assert reader_of(tar_project, tmp_path).read(np.array([0])).max() == 7


def test_shards_that_are_being_replaced_are_refused(tar_project: Project, tmp_path: Path) -> None:
    write_tar(tmp_path / "train-0.tar", [("1.png", png(1)), ("1.cls", b"0")])
    (tmp_path / ".partial/old").mkdir(parents=True)
    refused((tar_project, tmp_path), "half replaced", "--force")


IMAGE, LABEL = ("1.png", png(1)), ("1.cls", b"0")
BAD_TARS = {
    "no label": ([IMAGE], "1 has no label"),
    "no image": ([LABEL], "1 has no image"),
    "two images": ([IMAGE, ("1.jpg", png(2)), LABEL], "two images"),
    "a label that is none": ([IMAGE, ("1.json", b"{}")], "1 has no label"),
    "JSON that is a list": ([IMAGE, ("1.json", b"[1]")], "train-0.tar"),
    "a class too high": ([IMAGE, ("1.cls", b"7")], "'7'"),
}


@pytest.mark.parametrize("case", BAD_TARS)
def test_a_bad_shard_is_refused(tar_project: Project, tmp_path: Path, case: str) -> None:
    members, says = BAD_TARS[case]
    write_tar(tmp_path / "train-0.tar", members)
    (tmp_path / "classes.txt").write_text("a\nb\n")
    refused((tar_project, tmp_path), "train-", says)


@pytest.mark.parametrize("kept", [300, 1024, 1500, 4000])
def test_a_shard_cut_short_is_refused(tar_project: Project, tmp_path: Path, kept: int) -> None:
    members = [("1.cls", b"0"), ("1.png", png(1, 64) * 40)]
    path = write_tar(tmp_path / "train-0.tar", members)
    assert len(reader_of(tar_project, tmp_path)) == 1
    path.write_bytes(path.read_bytes()[:kept])  # 1024: just between two files
    refused((tar_project, tmp_path), "train-0.tar", "not a complete")


def test_the_samples_of_a_dataset_have_its_size_in_every_format(
    project: Project, tmp_path: Path, capsys: Any
) -> None:
    for split in ("train", "val"):
        for n, shape in enumerate([(20, 30, 3), (40, 26, 3), (26, 50, 3)]):
            save(tmp_path / "source" / split / "a" / f"{n}.png", np.zeros(shape, np.uint8))
    choose: ModuleType = project.module("data.images")
    tree = project.module("data.folder").scan(tmp_path / "source" / "train")
    size = choose.choose_size(tree.path, len(tree))
    assert size == (26, 26)
    data = tmp_path / "data"
    data.mkdir()
    more = (size,) if project.data_format == "hdf5" else ()
    project.module("data.reader").write(data / "train", tree, *more)
    capsys.readouterr()
    reader = reader_of(project, data)
    assert tuple(reader.shape) == (26, 26, 3)
    said = capsys.readouterr().err
    assert said.count("\n") == (project.data_format != "hdf5"), said
    assert reader.read(np.arange(3)).shape == (3, 26, 26, 3)


def test_formats_are_all_tried() -> None:
    variants = Path(__file__).parents[2] / "template" / "variants"
    assert {p.stem.removeprefix("reader_") for p in variants.glob("reader_*.py")} == set(FORMATS)
