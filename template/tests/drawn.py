"""Images to learn from, as `prepare` takes them. It is yours to change with `data/source.py`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from pngs import as_png

CLASSES = ["left", "middle", "right"]
TRAIN, VAL = 16, 5  # images per class


def draw_tree(folder: Path, *, seed: int = 0) -> None:
    """Write FOLDER/{train,val}/<class>/<number>.png: noise, and a bar where the class says."""
    random = np.random.default_rng(seed)
    for split, count in (("train", TRAIN), ("val", VAL)):
        for place, name in enumerate(CLASSES):
            (folder / split / name).mkdir(parents=True)
            for number in range(count):
                pixels = random.integers(0, 100, (12, 12, 3), dtype=np.uint8)
                pixels[:, 4 * place : 4 * place + 4] += 100
                Image.fromarray(pixels).save(folder / split / name / f"{number:03}.png")


def write_source(root: Path, images: Sequence[np.ndarray | bytes]) -> list[Path]:
    """Write images, or what is in their files, as one split; returns the files in its order."""
    files = []
    for number, image in enumerate(images):
        name = ("ant", "bee", "cat é")[3 * number // len(images)]
        files.append(root / name / f"{number:03d}.png")
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        files[-1].write_bytes(image if isinstance(image, bytes) else as_png(image))
    return files


def some_targets(count: int) -> tuple[list[str], np.ndarray]:
    """Classes, and the targets of that many samples as a file has them."""
    return ["a", "b", "ü"], np.arange(count) % 3
