"""What `prepare` reads, and what is to be learned of each image: the class of each pixel.

    ROOT/images/NAME.EXT   at any depth
    ROOT/masks/NAME.png    grey of 8 bits, or with a palette: a pixel's value is its class, from 0;
                           255 where it is not to count
    ROOT/classes.txt       the names of the classes, one a line; without it they are numbered

A mask has the size of its image. It is read when it is asked for, so masks stay on the disk.
"""

import os
import shutil
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from ..base.errors import DataError, UserError
from . import folders
from .folders import Names, Tree, walk
from .images import EXTENSIONS, content_of
from .survey import header_size

IMAGES, MASKS, CLASSES = "images", "masks", "classes.txt"
IGNORED = 255  # the value of pixels that do not count
SAMPLE = "image"  # what a sample is called in messages
SHOWN = 5  # names in a line
KINDS = 5  # of digits in the demo


def find_splits(
    source: Path, val_fraction: float, seed: int, *, leaves: bool = False
) -> tuple[Tree, Tree]:
    """The images of train and val: as `source` has them apart, or else split by chance.

    The classes stand in each part, or for both in `source`.
    """
    if leaves:
        raise DataError("--leaves is for class folders: here masks have the classes")

    def has_images(folder: Path) -> bool:
        return (folder / IMAGES).is_dir()

    def read(root: Path) -> Tree:
        return scan(root, read_names(root) or read_names(source) or numbered(source))

    return folders.find_splits(source, read, has_images, IMAGES, val_fraction, seed)


def scan(root: Path, classes: list[str] | None = None) -> Tree:
    """Find the images, sorted; targets (N,) are the names of their masks, which are not looked at.

    Raises DataError where there are none.
    """
    try:
        found = list(walk(root / IMAGES))
    except OSError as error:
        raise DataError(f"{error.filename}: {error.strerror}") from error
    if not found:
        raise DataError(f"{root / IMAGES} has no image ({' '.join(EXTENSIONS)})")
    names = Names()
    names.extend(found)
    masks = np.array([os.path.splitext(name)[0] + ".png" for name in found])
    classes = classes or read_names(root) or numbered(root)
    return Tree(root, classes, masks, names, np.zeros(len(found), int), folders=[IMAGES])


def read_names(root: Path) -> list[str]:
    """The names of the classes; none where they are not written down."""
    file = root / CLASSES
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: {error}") from error
    names = [line.strip() for line in text.rstrip().split("\n")]
    if "" in names or len(set(names)) < len(names) or len(names) > IGNORED:
        raise DataError(f"{file} needs a name on each line, each another one, {IGNORED} at most")
    return names


def numbered(root: Path) -> list[str]:
    """Numbers as names, as many as the masks at any depth below `root` need."""
    largest = 0
    for file in sorted(root.glob(f"**/{MASKS}/**/*.png")):
        try:
            mask = read_mask(file)
        except DataError:  # it is named when it is to be used
            continue
        largest = max(largest, int(mask[mask != IGNORED].max(initial=0)))
    return [str(number) for number in range(largest + 1)]


def read_mask(file: Path | str) -> np.ndarray:
    """The classes (H, W) uint8 of a file's pixels; raises DataError naming the file."""
    try:
        content = content_of(file)
        image: Image.Image = Image.open(BytesIO(content))
        image.load()
    except UnidentifiedImageError:
        raise DataError(f"{file}: not an image") from None
    except Exception as error:  # a damaged file makes Pillow raise nearly anything
        reason = error.strerror if isinstance(error, OSError) else None
        raise DataError(f"{file}: {reason or f'damaged image ({error})'}") from error
    # grey of 2 or 4 bits is a share of white, which Pillow scales to 255
    if image.mode not in ("1", "L", "P") or content[24:26] in (b"\2\0", b"\4\0"):
        raise DataError(f"{file}: a mask has to be grey of 8 bits, or have a palette")
    return np.array(image, np.uint8)


def fit_mask(mask: np.ndarray, height: int, width: int) -> np.ndarray:
    """What `images.fit` does, but each pixel has the class of the nearest one, and no mixture."""
    if mask.shape == (height, width):
        return mask
    nearest = Image.Resampling.NEAREST
    return np.array(ImageOps.fit(Image.fromarray(mask), (width, height), nearest))


def unknown_value(mask: np.ndarray, classes: int) -> str:
    """What to say of values that are no class; "" where there are none."""
    beyond = mask[(mask >= classes) & (mask != IGNORED)]
    if not beyond.size:
        return ""
    return f"{beyond[0]} is no class: there are 0 to {classes - 1}, and {IGNORED} does not count"


def check_mask(tree: Tree, index: int) -> str:
    """What is wrong with the mask of an image that can be read; "" where nothing is."""
    file, size = mask_file(tree, index), header_size(tree.path(index))
    try:
        mask = read_mask(file)
    except DataError as error:
        return str(error)
    if mask.shape != size and size is not None:
        has, wanted = (f"{height} x {width}" for height, width in (mask.shape, size))
        return f"{file}: {has} pixels, where its image has {wanted}"
    unknown = unknown_value(mask, len(tree.classes))
    return unknown and f"{file}: {unknown}"


def mask_file(tree: Tree, index: int) -> str:
    """Where the mask of an image lies."""
    return os.path.join(tree.root, MASKS, tree.targets[index])


class Masks:
    """The masks of a tree's images, read when an array of numbers asks for them."""

    def __init__(self, tree: Tree, size: tuple[int, int]) -> None:
        """All are made to fit one size (H, W)."""
        self._tree, self._size = tree, size

    def __len__(self) -> int:
        return len(self._tree)

    def __getitem__(self, indices: np.ndarray) -> np.ndarray:
        """Masks (B, H, W) uint8, in the order of `indices`; raises DataError naming a file."""
        masks = np.empty((len(indices), *self._size), np.uint8)
        for mask, index in zip(masks, indices.tolist(), strict=True):
            file = mask_file(self._tree, index)
            mask[:] = fit_mask(read_mask(file), *self._size)
            if unknown := unknown_value(mask, len(self._tree.classes)):
                raise DataError(f"{file}: {unknown}")
        return masks


def counted(classes: Sequence[str]) -> str:
    """How many there are, in the words of every message about them."""
    return "1 class" if len(classes) == 1 else f"{len(classes):,} classes"


def describe_targets(tree: Tree) -> list[str]:
    """How many classes there are, and their first names."""
    more = f" and {len(tree.classes) - SHOWN:,} more" if len(tree.classes) > SHOWN else ""
    return [f"{counted(tree.classes)} of pixels: {', '.join(tree.classes[:SHOWN])}{more}"]


def check_rest(split: str, tree: Tree, left_out: dict[int, str]) -> None:
    """Refuse a split without any image, and classes of which there is but one."""
    if len(left_out) == len(tree):
        raise DataError(f"no readable image is left for {split}")
    if len(tree.classes) < 2:
        raise DataError(f"{tree.root} has one class alone: there is nothing to tell apart")


def complete(path: Path, tree: Tree) -> None:
    """Add the masks, and the names of the classes, to a folder of images."""
    for index in range(len(tree)):
        copy = path / MASKS / str(tree.targets[index])
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(mask_file(tree, index), copy)
    text = "".join(f"{name}\n" for name in tree.classes)
    (path / CLASSES).write_text(text, encoding="utf-8")


def draw_demo(folder: Path) -> Path:
    """Some of scikit-learn's digits on noise: a stroke has the class of its digit.

    No scan is in both splits.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise UserError("the demo needs scikit-learn: pip install -e '.[dev]'") from None
    digits = load_digits()
    random = np.random.default_rng(0)
    order = random.permutation(len(digits.images))
    order = order[digits.target[order] < KINDS]
    held_out = len(order) // 5
    for split, own, count in (("train", order[held_out:], 600), ("val", order[:held_out], 150)):
        for name in (IMAGES, MASKS):
            (folder / split / name).mkdir(parents=True)
        for number in range(count):
            image, mask = random.integers(0, 100, (48, 48)), np.zeros((48, 48), np.uint8)
            for corner, scan_number in enumerate(random.choice(own, 4)):
                scan = np.kron(digits.images[scan_number], np.ones((2, 2)))  # (16, 16), of 0 to 16
                top, left = random.integers(0, 9, 2) + 24 * np.array(divmod(corner, 2))
                place = slice(top, top + 16), slice(left, left + 16)
                image[place] = np.maximum(image[place], scan * 255 / 16)
                mask[place][scan > 8] = 1 + digits.target[scan_number]
            for name, pixels in ((IMAGES, image), (MASKS, mask)):
                file = folder / split / name / f"{number:03d}.png"
                Image.fromarray(pixels.astype(np.uint8)).save(file)
    names = ["background", *(f"digit {kind}" for kind in range(KINDS))]
    (folder / CLASSES).write_text("\n".join(names) + "\n", encoding="utf-8")
    return folder
