"""Images to learn from, as `prepare` takes them. It is yours to change with `data/source.py`."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from pngs import as_png

CLASSES = ["background", "bright", "dark"]
TRAIN, VAL = 48, 15  # images


def draw_tree(folder: Path, *, seed: int = 0) -> None:
    """Write FOLDER/{train,val}/{images,masks}: noise, a bright box, a dark one; no last row."""
    random = np.random.default_rng(seed)
    for split, count in (("train", TRAIN), ("val", VAL)):
        for name in ("images", "masks"):
            (folder / split / name).mkdir(parents=True)
        for number in range(count):
            pixels = random.integers(100, 150, (12, 12, 3), dtype=np.uint8)
            mask = np.zeros((12, 12), np.uint8)
            for kind, change in ((1, 100), (2, -100)):
                top, left = random.integers(0, 7, 2)
                place = slice(top, top + 5), slice(left, left + 5)
                pixels[place] = np.clip(random.integers(100, 150, (5, 5, 3)) + change, 0, 255)
                mask[place] = kind
            mask[-1] = 255
            Image.fromarray(pixels).save(folder / split / "images" / f"{number:03}.png")
            Image.fromarray(mask).save(folder / split / "masks" / f"{number:03}.png")
    (folder / "classes.txt").write_text("\n".join(CLASSES) + "\n", encoding="utf-8")


def write_source(root: Path, images: Sequence[np.ndarray | bytes]) -> list[Path]:
    """Write images, or what is in their files, as one split; returns the files in its order.

    A mask has the remainders of its image's red by 3; of what is in a file, or is none, zeros.
    """
    for name in ("images", "masks"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "classes.txt").write_text("ant\nbee\ncat é\n", encoding="utf-8")
    files, blank = [], dict[tuple[int, int], bytes]()
    for number, image in enumerate(images):
        files.append(root / "images" / f"{number:03d}.png")
        if isinstance(image, bytes):
            size = size_of(image)
            mask = blank.setdefault(size, as_png(np.zeros(size, np.uint8)))
        else:
            mask = as_png(image[..., 0] % 3)
        files[-1].write_bytes(image if isinstance(image, bytes) else as_png(image))
        (root / "masks" / files[-1].name).write_bytes(mask)
    return files


def size_of(content: bytes) -> tuple[int, int]:
    """Height and width of what is in an image file; of another file, of a single pixel."""
    if not content:
        return (1, 1)
    with Image.open(io.BytesIO(content)) as image:
        return image.height, image.width


def some_targets(count: int) -> tuple[list[str], np.ndarray]:
    """Classes, and the masks of that many images of 6 x 5 pixels as a file has them."""
    random = np.random.default_rng(0)
    masks = random.integers(0, 3, (count, 6, 5), dtype=np.uint8)
    masks[:, 0, 0] = 255
    return ["a", "b", "ü"], masks
