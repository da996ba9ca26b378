"""Images and masks are found as they lie. This file is yours to change with `data/source.py`."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pngs import as_png

from myproj.base.errors import DataError
from myproj.data.images import fit
from myproj.data.source import (
    Masks,
    check_mask,
    counted,
    describe_targets,
    find_splits,
    fit_mask,
    mask_file,
    read_mask,
    scan,
)
from myproj.data.storage import Reader, split_path
from myproj.prepare import PrepareConfig, main

RNG = np.random.default_rng(0)
Sizes = dict[str, tuple[int, int]]


def write(root: Path, files: Sizes, classes: str = "sky\nsea\nland\n") -> Path:
    """Images of these sizes, and masks of values 0 to 2; the first pixel does not count."""
    root.mkdir(parents=True, exist_ok=True)
    if classes:
        (root / "classes.txt").write_text(classes, encoding="utf-8")
    for name, size in files.items():
        mask = RNG.integers(0, 3, size, dtype=np.uint8)
        mask[0, 0] = 255
        image = np.stack([mask * 80] * 3, axis=-1)
        for folder, pixels in (("images", image), ("masks", mask)):
            file = (root / folder / name).with_suffix(".png" if folder == "masks" else name[-4:])
            file.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(file)
    return root


def test_each_image_has_the_mask_of_its_name(tmp_path: Path) -> None:
    root = write(tmp_path, {"b/2.png": (8, 6), "a é.bmp": (8, 6), "b/1.ppm": (8, 6)})
    tree = scan(root)
    assert tree.classes == ["sky", "sea", "land"]
    assert [tree.names[index] for index in range(3)] == ["a é.bmp", "b/1.ppm", "b/2.png"]
    assert [Path(mask_file(tree, index)) for index in range(3)] == [
        root / "masks" / name for name in ("a é.png", "b/1.png", "b/2.png")
    ]
    for index, mask in enumerate(Masks(tree, (8, 6))[np.array([2, 0, 1])]):
        image = np.asarray(Image.open(tree.path([2, 0, 1][index])))[..., 0]
        assert mask[0, 0] == 255 and np.array_equal(mask.ravel()[1:], image.ravel()[1:] // 80)
    part = tree.select(np.array([2, 0]))
    assert np.array_equal(Masks(part, (8, 6))[np.array([1])], Masks(tree, (8, 6))[np.array([0])])
    assert describe_targets(tree) == ["3 classes of pixels: sky, sea, land"]
    assert counted(["one"]) == "1 class"


def test_classes_without_names_are_numbered_alike_in_both_splits(tmp_path: Path) -> None:
    for split, largest in (("train", 4), ("val", 6)):
        write(tmp_path / split, {"1.png": (5, 5)}, classes="")
        mask = np.full((5, 5), largest, np.uint8)
        mask[0] = 255
        Image.fromarray(mask).save(tmp_path / split / "masks/1.png")
    for tree in find_splits(tmp_path, 0.2, 0):
        assert tree.classes == list("0123456")
    (tmp_path / "train/masks/1.png").write_bytes(b"no image")  # which is said when it is read
    assert scan(tmp_path / "train").classes == ["0"]


def test_the_names_of_the_classes_stand_in_each_split_or_above(tmp_path: Path) -> None:
    write(tmp_path / "train", {"1.png": (5, 5)}, classes="")
    write(tmp_path / "val", {"1.png": (5, 5)}, classes="")
    (tmp_path / "classes.txt").write_text("a\r\n b \r\nc\r\n\r\n", encoding="utf-8-sig")
    assert [tree.classes for tree in find_splits(tmp_path, 0.2, 0)] == [["a", "b", "c"]] * 2
    (tmp_path / "val/classes.txt").write_text("a\nc\nb\n", encoding="utf-8")
    with pytest.raises(DataError, match="have different classes: in another order"):
        find_splits(tmp_path, 0.2, 0)


@pytest.mark.parametrize("text", ["a\n\nb\n", "a\na\n", "\n".join(map(str, range(256)))])
def test_names_that_do_not_fit_values_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"classes\.txt needs a name on each line, each another"):
        scan(write(tmp_path, {"1.png": (5, 5)}, classes=text))


def test_a_source_without_images_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="images: No such file"):
        find_splits(tmp_path, 0.2, 0)
    (tmp_path / "images").mkdir()
    with pytest.raises(DataError, match=r"images has no image \(\.jpg "):
        find_splits(tmp_path, 0.2, 0)
    with pytest.raises(DataError, match="--leaves is for class folders"):
        find_splits(tmp_path, 0.2, 0, leaves=True)


@pytest.mark.parametrize("mode", ["L", "P", "1"])
def test_a_mask_has_the_values_of_its_pixels(mode: str, tmp_path: Path) -> None:
    values = RNG.integers(0, 2 if mode == "1" else 200, (7, 9), dtype=np.uint8)
    image = Image.fromarray(values * 255).convert("1") if mode == "1" else Image.fromarray(values)
    if mode == "P":
        image.putpalette([255 - value // 3 for value in range(768)])
    image.save(tmp_path / "mask.png")
    assert np.array_equal(read_mask(tmp_path / "mask.png"), values)


def grey_of_four_bits() -> bytes:
    """A PNG of 2 x 2 pixels that Pillow cannot write."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", 2, 2, 4, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0\x12\0\x30")
    chunks = (b"IHDR", header), (b"IDAT", pixels), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in chunks)


def test_what_is_no_mask_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "mask.png"
    with pytest.raises(DataError, match=r"mask\.png: No such file"):
        read_mask(file)
    for image in (Image.new("RGB", (5, 4)), Image.new("LA", (5, 4)), Image.new("I;16", (5, 4))):
        image.save(file)
        with pytest.raises(DataError, match=r"mask\.png: a mask has to be grey of 8 bits, or"):
            read_mask(file)
    file.write_bytes(grey_of_four_bits())
    assert np.asarray(Image.open(file)).tolist() == [[17, 34], [51, 0]]  # and not 1, 2, 3, 0
    with pytest.raises(DataError, match=r"mask\.png: a mask has to be grey of 8 bits, or"):
        read_mask(file)
    file.write_bytes(b"no image")
    with pytest.raises(DataError, match=r"mask\.png: not an image"):
        read_mask(file)
    content = as_png(RNG.integers(0, 9, (40, 40), dtype=np.uint8))
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"mask\.png: damaged image \("):
        read_mask(file)


@pytest.mark.parametrize("size", [(10, 14), (31, 5), (64, 64), (3, 3)])
def test_a_mask_is_made_to_fit_by_the_pixels_nearest_to_where_its_image_is_taken_from(
    size: tuple[int, int],
) -> None:
    mask = RNG.integers(0, 200, (20, 27), dtype=np.uint8)
    scale = min(20 / size[0], 27 / size[1])  # pixels of the mask for one that is made of it
    rows, columns = (
        np.floor((np.arange(after) + 0.5 - after / 2) * scale + before / 2 + 1e-9).astype(int)
        for before, after in zip(mask.shape, size, strict=True)
    )
    found = fit_mask(mask, *size)
    assert found.shape == size
    assert (found == mask[rows[:, None], columns]).mean() > 0.9  # on an edge either may be taken
    halves = np.repeat(np.array([[0, 200]], np.uint8), [10, 17], axis=1).repeat(20, axis=0)
    bright = fit(np.repeat(halves[..., None], 3, axis=2), *size)[..., 0]
    blurred = (bright > 0) & (bright < 200)
    assert np.array_equal(fit_mask(halves, *size)[~blurred], bright[~blurred])


def break_masks(root: Path) -> dict[str, str]:
    """Break some masks; what is to be said of each."""
    masks = root / "masks"
    (masks / "1.png").unlink()
    Image.new("L", (6, 7)).save(masks / "2.png")
    mask = np.full((8, 6), 2, np.uint8)
    mask[3, 3], mask[4] = 3, 255
    Image.fromarray(mask).save(masks / "3.png")
    Image.new("RGB", (6, 8)).save(masks / "4.png")
    return {
        "1.png": "No such file",
        "2.png": "7 x 6 pixels, where its image has 8 x 6",
        "3.png": "3 is no class: there are 0 to 2, and 255 does not count",
        "4.png": "a mask has to be grey of 8 bits",
    }


def test_wrong_masks_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    root = write(tmp_path / "source", {f"{number}.png": (8, 6) for number in range(10)})
    wrong = break_masks(root)
    tree = scan(root)
    assert check_mask(tree, 0) == "" and "3.png: 3 is no class" in check_mask(tree, 3)
    with pytest.raises(DataError, match="nothing was written because of 4 unreadable images") as e:
        main(PrepareConfig(source=root, data_dir=tmp_path / "data"))
    for name, reason in wrong.items():
        assert f"  {root / 'masks' / name}: {reason}" in str(e.value)
    assert not (tmp_path / "data").exists()


def test_masks_come_back_from_every_format_and_bad_ones_leave_with_their_images(
    tmp_path: Path,
) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    for split, count in (("train", 6), ("val", 5)):
        write(source / split, {f"x/{number}.png": (8, 6) for number in range(count)})
    (source / "train/masks/x/2.png").write_bytes(b"no image")
    (source / "val/images/x/0.png").write_bytes(b"no image")
    expected = {
        split: [read_mask(source / split / "masks/x" / f"{n}.png") for n in kept]
        for split, kept in (("train", [0, 1, 3, 4, 5]), ("val", [1, 2, 3, 4]))
    }
    assert main(PrepareConfig(source=source, data_dir=data, skip_bad=True)) == 0
    for split, masks in expected.items():
        reader = Reader(split_path(data, split))
        every = np.arange(len(masks))
        assert (len(reader), reader.classes) == (len(masks), ["sky", "sea", "land"])
        assert np.array_equal(reader.targets[every], np.stack(masks))
        images = reader.read(every)[..., 0]
        assert np.array_equal(images[:, 1:] // 80, np.stack(masks)[:, 1:])


def test_masks_and_images_of_other_sizes_stay_together(tmp_path: Path) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    for split in ("train", "val"):
        write(source / split, {"1.png": (8, 6), "2.png": (24, 18), "3.png": (24, 30)})
    assert main(PrepareConfig(source=source, data_dir=data)) == 0
    masks = Reader(split_path(data, "train")).targets[np.arange(3)]
    assert masks.shape == (3, 8, 6)
    for number, columns in ((2, slice(1, None, 3)), (3, slice(7, 23, 3))):
        whole = read_mask(source / "train/masks" / f"{number}.png")
        assert np.array_equal(masks[number - 1], whole[1::3, columns])


def test_a_photograph_that_is_turned_has_a_mask_as_it_is_seen(tmp_path: Path) -> None:
    root = write(tmp_path, {"1.png": (8, 6)})
    exif = Image.Exif()
    exif[0x0112] = 6
    (root / "images/1.png").unlink()
    Image.new("RGB", (8, 6)).save(root / "images/1.jpg", exif=exif)  # seen as 8 high, 6 wide
    assert check_mask(scan(root), 0) == ""
    Image.new("L", (8, 6)).save(root / "masks/1.png")
    assert "6 x 8 pixels, where its image has 8 x 6" in check_mask(scan(root), 0)


def test_what_cannot_be_learned_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "source", {f"{n}.png": (8, 6) for n in range(4)}, classes="one\n")
    for file in (root / "masks").iterdir():
        Image.new("L", (6, 8)).save(file)
    with pytest.raises(DataError, match="has one class alone"):
        main(PrepareConfig(source=root, data_dir=tmp_path / "data"))
    for file in (root / "images").iterdir():
        file.write_bytes(b"no image")
    with pytest.raises(DataError, match="no readable image is left for train"):
        main(PrepareConfig(source=root, data_dir=tmp_path / "data", skip_bad=True))


def test_a_wrong_mask_is_named_when_it_is_read(tmp_path: Path) -> None:
    root = write(tmp_path, {f"{number}.png": (8, 6) for number in range(5)})
    wrong = break_masks(root)
    masks = Masks(scan(root), (8, 6))
    assert masks[np.array([0])].shape == (1, 8, 6)
    for number in (1, 3, 4):
        with pytest.raises(DataError, match=f"{number}.png: {wrong[f'{number}.png'][:12]}"):
            masks[np.array([0, number])]


@pytest.mark.slow
def test_the_demo_knows_where_each_digit_is(tmp_path: Path) -> None:
    assert main(PrepareConfig(demo=True, data_dir=tmp_path)) == 0
    train, val = (Reader(split_path(tmp_path, split)) for split in ("train", "val"))
    names = ["background", *(f"digit {number}" for number in range(5))]
    assert (len(train), len(val), train.classes, val.classes) == (600, 150, names, names)
    every = np.arange(600)
    images, masks = train.read(every)[..., 0], train.targets[every]
    assert np.array_equal(masks > 0, images > 255 / 2)
    for corner in (masks[:, :24, :24], masks[:, 24:, 24:]):  # a digit each
        kinds = [np.unique(mask[mask > 0]) for mask in corner]
        assert {len(found) for found in kinds} == {1}
        assert {int(found[0]) for found in kinds} == {1, 2, 3, 4, 5}
