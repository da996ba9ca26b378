"""Images to learn from, as `prepare` takes them. It is yours to change with `data/source.py`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from pngs import as_png

COLUMNS = ["light [lux]", "slope"]
TRAIN, VAL = 48, 15  # images


def draw_tree(folder: Path, *, seed: int = 0) -> None:
    """Write FOLDER/{train,val}/{targets.csv,<number>.png}: noise, and light from left or right."""
    random = np.random.default_rng(seed)
    for split, count in (("train", TRAIN), ("val", VAL)):
        (folder / split).mkdir(parents=True)
        lines = ["file," + ",".join(COLUMNS)]
        for number in range(count):
            light, slope = random.uniform(60, 150), random.uniform(-1, 1)
            ramp = light + 40 * slope * np.linspace(-1, 1, 12)[None, :, None]
            pixels = ramp + random.normal(0, 5, (12, 12, 3))
            Image.fromarray(pixels.astype(np.uint8)).save(folder / split / f"{number:03}.png")
            lines.append(f"{number:03}.png,{10 * light:.6g},{slope:.6g}")
        (folder / split / "targets.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_source(root: Path, images: Sequence[np.ndarray | bytes]) -> list[Path]:
    """Write images, or what is in their files, as one split; returns the files in its order."""
    root.mkdir(parents=True, exist_ok=True)
    files = [root / f"{number:03d}.png" for number in range(len(images))]
    lines = ["file,größe [mm],x"]
    for number, (file, image) in enumerate(zip(files, images, strict=True)):
        file.write_bytes(image if isinstance(image, bytes) else as_png(image))
        lines.append(f"{file.name},{number / 7:.5g},{-number}")
    (root / "targets.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return files


def some_targets(count: int) -> tuple[list[str], np.ndarray]:
    """Columns, and the targets of that many samples as a file has them."""
    random = np.random.default_rng(0)
    return ["a", "ü [°]"], random.normal(size=(count, 2)).astype(np.float32)
