"""Find the images in ROOT/images, and the mask of each at the same place in ROOT/masks.

    ROOT/images/street/1.jpg
    ROOT/masks/street/1.png    8 bits: the number of each pixel's class; 255 does not count
    ROOT/classes.txt           the names of the classes, one a line

The images may be of any size. `prepare` brings the masks to the one that a run sees.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Self

import numpy as np
from PIL import Image, ImageOps

from ..base.errors import DataError
from .images import EXTENSIONS, Size, read

IGNORED = 255  # as in task.py


@dataclass(frozen=True)
class ImageTree:
    """N image files and the mask of each."""

    root: Path
    classes: list[str]
    targets: np.ndarray  # masks (N, H, W) uint8; empty until they are read
    paths: np.ndarray  # (N,) bytes, relative to root: one buffer, which workers share

    def __len__(self) -> int:
        return len(self.paths)

    def path(self, index: int) -> str:
        return os.path.join(self.root, os.fsdecode(self.paths[index]))

    def mask(self, index: int) -> Path:
        place = Path(os.fsdecode(self.paths[index])).relative_to("images")
        return self.root / "masks" / place.with_suffix(".png")

    def select(self, indices: np.ndarray) -> Self:
        kept = self.targets[indices] if len(self.targets) else self.targets
        return replace(self, targets=kept, paths=self.paths[indices])


def scan(root: Path) -> ImageTree:
    """The images, sorted, and their masks, which must have one size. Raises DataError."""
    tree = find(root)
    masks = read_masks(tree, None)
    if odd := [i for i, mask in enumerate(masks) if mask.shape != masks[0].shape]:
        raise DataError(f"{tree.mask(odd[0])} has another size than {tree.mask(0)}: run `prepare`")
    return replace(tree, targets=np.stack(masks))


def find(root: Path) -> ImageTree:
    """The images, sorted, without their masks. Raises DataError."""
    try:
        lines = (root / "classes.txt").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(f"{root / 'classes.txt'} cannot be read: {error.strerror}") from error
    found = (path for path in (root / "images").rglob("*") if path.name[0] != ".")
    paths = sorted(path for path in found if path.suffix.lower() in EXTENSIONS)
    if not paths:
        raise DataError(f"{root / 'images'} has no images")
    classes = [line.strip() for line in lines if line.strip()]
    files = np.array([os.fsencode(path.relative_to(root)) for path in paths])
    return ImageTree(root, classes, np.zeros((0, 0, 0), np.uint8), files)


def read_masks(tree: ImageTree, size: Size | None) -> Sequence[np.ndarray]:
    """The masks (H, W) uint8; with a size (height, width), resized and cropped as the images are.

    Raises DataError naming a mask that does not fit its image or the classes.
    """

    def one(index: int) -> np.ndarray:
        path = tree.mask(index)
        try:
            with Image.open(path) as image:
                if image.mode not in ("L", "P"):
                    raise DataError(f"{path}: a mask has 8 bits, gray or of a palette")
                mask = np.array(image)
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
        if wrong := set(np.unique(mask).tolist()) - {*range(len(tree.classes)), IGNORED}:
            raise DataError(f"{path} has {min(wrong)}, with {len(tree.classes)} in classes.txt")
        if size is None:
            return mask
        if (shape := read(tree.path(index)).shape[:2]) != mask.shape:
            raise DataError(f"{path} has {mask.shape} pixels, its image {shape}")
        # to the nearest pixel, since a class between two classes is neither
        fitted = ImageOps.fit(Image.fromarray(mask), (size[1], size[0]), Image.Resampling.NEAREST)
        return np.array(fitted)

    with ThreadPool() as pool:
        return pool.map(one, range(len(tree)))


def with_masks(trees: dict[str, ImageTree], size: Size | None) -> dict[str, ImageTree]:
    """Read the masks of all splits, at the images' size (height, width)."""
    masks = {split: np.stack(read_masks(tree, size)) for split, tree in trees.items()}
    return {split: replace(tree, targets=masks[split]) for split, tree in trees.items()}


def write_masks(root: Path, tree: ImageTree) -> None:
    """Write the masks and the classes beside the images of a split."""
    (root / "classes.txt").write_text("\n".join(tree.classes) + "\n", encoding="utf-8")
    written = replace(tree, root=root)
    for index, mask in enumerate(tree.targets):
        written.mask(index).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(mask).save(written.mask(index))


def subfolders(folder: Path) -> list[str]:
    """The names of the folders in a folder, sorted; hidden ones are skipped."""
    return sorted(e.name for e in os.scandir(folder) if e.is_dir() and e.name[0] != ".")
