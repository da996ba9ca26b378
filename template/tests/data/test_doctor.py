"""What was planted in data is found, all of it, and nothing else is."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageEnhance

from toy.base.errors import DataError
from toy.data.alike import SAME, mark_of, nearly_equal
from toy.data.doctor import NAMES, examine, of_reader, of_tree
from toy.data.findings import Finding, Split, subject_of
from toy.data.folders import Names, Tree

COUNT = 12  # different images of each class in train; a third of that in val
CLASSES = ["cat", "dog"]
Edit = Callable[[Path], object]


def picture(number: int) -> Image.Image:
    """A smooth image of 48 x 60 pixels, with some noise, unlike those of other numbers."""
    random = np.random.default_rng(number)
    coarse = Image.fromarray(random.integers(0, 256, (6, 6, 3), dtype=np.uint8))
    smooth = np.asarray(coarse.resize((60, 48), Image.Resampling.BICUBIC), float)
    noisy = 0.7 * smooth + 30 + random.normal(0, 4, smooth.shape)
    return Image.fromarray(noisy.clip(0, 255).astype(np.uint8))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """ROOT/{train,val}/{cat,dog}/<number>.png, with nothing wrong."""
    numbers = iter(range(1000))
    for split, count in zip(NAMES, (COUNT, COUNT // 3), strict=True):
        for name in CLASSES:
            (tmp_path / split / name).mkdir(parents=True)
            for number in range(count):
                picture(next(numbers)).save(tmp_path / split / name / f"{number:03}.png")
    return tmp_path


def trees(folder: Path) -> Iterator[Tree]:
    """Both splits as `prepare` finds them."""
    for split in NAMES:
        files = [
            (k, f) for k, n in enumerate(CLASSES) for f in sorted((folder / split / n).iterdir())
        ]
        names, labels = Names(), np.array([label for label, _ in files])
        names.extend(file.name for _, file in files)
        yield Tree(folder / split, CLASSES, labels, names, labels, CLASSES)


def found(folder: Path) -> dict[str, Finding]:
    """What is found in a folder, by its kind."""
    findings = examine([of_tree(n, t) for n, t in zip(NAMES, trees(folder), strict=True)])
    assert [finding.wrong for finding in findings] == sorted(
        (f.wrong for f in findings), reverse=True
    )
    return {finding.kind: finding for finding in findings}


def copy(folder: Path, to: str, change: Callable[[Image.Image], Image.Image]) -> None:
    """Write what becomes of the first cat to train on."""
    with Image.open(folder / "train/cat/000.png") as image:
        change(image).save(folder / to, quality=60)


def few_dogs(folder: Path) -> None:
    for file in sorted((folder / "train/dog").iterdir())[1:]:
        file.unlink()


def no_cats_in_val(folder: Path) -> None:
    for file in (folder / "val/cat").iterdir():
        file.unlink()


def one_patient(folder: Path) -> None:
    (folder / "train/cat/001.png").rename(folder / "train/cat/patient7_a.png")
    (folder / "val/dog/001.png").rename(folder / "val/dog/patient7_b.png")


PLANTED: dict[str, tuple[Edit, set[str], int]] = {
    "nothing": (lambda f: sorted(f.iterdir()), set(), 0),
    "a copy": (lambda f: copy(f, "train/cat/copy.bmp", lambda i: i), {"copy"}, 2),
    "a copy in val": (lambda f: copy(f, "val/cat/copy.bmp", lambda i: i), {"leak"}, 2),
    "another label": (
        *(lambda f: copy(f, "train/dog/copy.bmp", lambda i: i), {"copy", "conflict"}, 2),
    ),
    "compressed": (lambda f: copy(f, "train/cat/copy.jpg", lambda i: i), {"near-copy"}, 2),
    "smaller": (
        lambda f: copy(f, "val/cat/copy.png", lambda i: i.resize((45, 36))),
        {"near-leak"},
        2,
    ),
    "brighter": (
        lambda f: copy(f, "train/dog/copy.png", lambda i: ImageEnhance.Brightness(i).enhance(1.2)),
        {"near-copy", "near-conflict"},
        2,
    ),
    "white": (
        lambda f: copy(f, "train/cat/white.png", lambda i: Image.new("RGB", i.size, "white")),
        {"blank"},
        1,
    ),
    "tiny": (lambda f: picture(999).resize((13, 11)).save(f / "val/dog/tiny.png"), {"tiny"}, 1),
    "damaged": (lambda f: (f / "train/dog/003.png").write_bytes(b"no"), {"unreadable"}, 1),
    "few dogs": (few_dogs, {"uneven"}, 0),
    "no cats": (no_cats_in_val, {"missing"}, 0),
    "a patient": (one_patient, {"names"}, 2),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_was_planted_is_found_and_nothing_else(what: str, folder: Path) -> None:
    edit, kinds, samples = PLANTED[what]
    edit(folder)
    findings = found(folder)
    assert findings.keys() == kinds
    for finding in findings.values():
        assert sum(map(len, finding.groups)) == samples and len(finding.groups) <= 1
        assert finding.wrong == (finding.kind in ("leak", "conflict", "unreadable"))


def test_prepared_data_of_any_shape_is_looked_at() -> None:
    class Rows:
        """Five rows of numbers: the last is the first again, with another target; one is bad."""

        classes, targets = ["a", "b"], np.array([[0.5], [1.0], [2.0], [3.0], [4.0]])

        def __len__(self) -> int:
            return 5

        def where(self, index: int) -> str:
            return f"row {index}"

        def read(self, indices: np.ndarray) -> np.ndarray:
            if 2 in indices:
                raise DataError("row 2: damaged")
            return np.arange(30, dtype=np.float32).reshape(5, 6)[indices % 4]

    rows = Rows()
    both = examine([of_reader("train", rows), of_reader("val", rows)])
    kinds = {finding.kind: finding for finding in both}
    assert kinds.keys() == {"unreadable", "leak", "conflict"}
    assert kinds["unreadable"].groups == [[("train", 2)], [("val", 2)]]
    assert "row 2: damaged" in kinds["unreadable"].words
    assert kinds["conflict"].groups == [[("train", 0), ("train", 4), ("val", 0), ("val", 4)]]
    assert len(kinds["leak"].groups) == 3


def test_masks_on_the_disk_are_compared_and_names_of_files_are_not() -> None:
    class Masks:
        """Of three images: the first two are the same, the last has none that can be read."""

        def __init__(self, values: list) -> None:
            self.values = np.array(values)

        def __len__(self) -> int:
            return 3

        def __getitem__(self, indices: np.ndarray) -> np.ndarray:
            if self.values.dtype.kind == "i" and 2 in indices:
                raise DataError("2.png: damaged mask")
            return self.values[indices]

    images = [np.asarray(picture(number)) for number in (0, 0, 1)]

    def kinds(values: list) -> set[str]:
        masks, marks = Masks(values), lambda: map(mark_of, images)
        split = Split("train", masks, ["cat"], marks, images.__getitem__, str, files=False)
        return {finding.kind for finding in examine([split])}

    assert kinds([[1, 2], [1, 2], [3, 4]]) == {"copy", "unreadable"}
    assert kinds([[1, 2], [2, 1], [3, 4]]) == {"copy", "conflict", "unreadable"}
    assert kinds(["a.png", "b.png", "c.png"]) == {"copy"}


def test_every_two_images_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    images = [picture(number) for number in range(10)]
    again = [picture(number).resize((30, 24)) for number in (3, 8, 0)]
    marks = [mark_of(np.asarray(image)).thumbnail for image in images + again]
    expected = {(3, 10), (8, 11), (0, 12)}
    assert set(nearly_equal(np.stack(marks))) == expected
    monkeypatch.setattr("toy.data.alike.TILE", 4)
    assert sorted(nearly_equal(np.stack(marks))) == sorted(expected)


def test_images_of_one_blur_are_told_apart() -> None:
    random = np.random.default_rng(0)
    smooth = np.add.outer(np.linspace(0, 200, 16), np.linspace(0, 40, 16))
    images = [smooth + random.normal(0, 5, smooth.shape) for _ in range(2)]
    marks = [mark_of(image.clip(0, 255).astype(np.uint8)[..., None]) for image in images]
    first, second = (mark.thumbnail for mark in marks)
    assert first @ second > SAME, "or it would show nothing"
    assert list(nearly_equal(np.stack([first, second]))) == []


@pytest.mark.parametrize(
    ("path", "subject"),
    [
        ("a/patient12_slice3.png", "patient12"),
        ("video_3_frame_12.jpg", "video_3"),
        ("IMG_2034 (1).jpg", "IMG_2034"),
        ("0003.png", ""),
        ("0003_1.png", ""),
        ("cat.12.jpg", ""),
    ],
)
def test_a_subject_is_a_name_with_a_number_and_more_behind_it(path: str, subject: str) -> None:
    assert subject_of(path) == subject
