"""Images to learn from, as `prepare` takes them. It is yours to change with `data/source.py`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from pngs import as_png

LABELS = ["left", "middle", "right"]
TRAIN, VAL = 48, 15  # images


def draw_tree(folder: Path, *, seed: int = 0) -> None:
    """Write FOLDER/{train,val}/{labels.csv,<number>.png}: noise, and a bar for each label."""
    random = np.random.default_rng(seed)
    for split, count in (("train", TRAIN), ("val", VAL)):
        (folder / split).mkdir(parents=True)
        lines = ["file,labels"]
        for number in range(count):
            there = [place for place in range(3) if number >> place & 1]
            pixels = random.integers(0, 100, (12, 12, 3), dtype=np.uint8)
            for place in there:
                pixels[:, 4 * place : 4 * place + 4] += 100
            Image.fromarray(pixels).save(folder / split / f"{number:03}.png")
            lines.append(f"{number:03}.png,{';'.join(LABELS[place] for place in there)}")
        (folder / split / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_source(root: Path, images: Sequence[np.ndarray | bytes]) -> list[Path]:
    """Write images, or what is in their files, as one split; returns the files in its order."""
    root.mkdir(parents=True, exist_ok=True)
    files, lines = [root / f"{number:03d}.png" for number in range(len(images))], ["file,labels"]
    for number, (file, image) in enumerate(zip(files, images, strict=True)):
        file.write_bytes(image if isinstance(image, bytes) else as_png(image))
        lines.append(f"{file.name},{('ant', 'bee;cat é', 'ant;cat é')[number % 3]}")
    (root / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return files


def some_targets(count: int) -> tuple[list[str], np.ndarray]:
    """Labels, and the targets of that many samples as a file has them."""
    random = np.random.default_rng(0)
    return ["a", "b", "ü"], random.integers(0, 2, (count, 3)).astype(np.float32)
