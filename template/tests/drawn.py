"""Images to learn from, as `prepare` takes them. It is yours to change with `data/source.py`."""

from pathlib import Path

import numpy as np
from PIL import Image

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
