"""What the benchmarks of reading read: drawn JPEGs, and generated projects that hold them."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
from PIL import Image
from timing import ENVIRONMENT, TRY

# images to train on: more than the caches of a CPU hold
COUNT = {32: 1_024, 224: 256} if TRY else {32: 40_960, 224: 2_560}
BATCH = {32: 256, 224: 64}
VAL = 100  # images to validate on: a project needs some, no benchmark reads them


def draw(folder: Path, size: int) -> None:
    """JPEGs as cameras make them, smooth with some noise: {train,val}/class{0..9}/<number>.jpg."""
    random = np.random.default_rng(0)
    for number in range(COUNT[size] + VAL):
        coarse = random.integers(0, 256, (6, 6, 3), dtype=np.uint8)
        smooth = Image.fromarray(coarse).resize((size, size), Image.Resampling.BICUBIC)
        noise = random.normal(0, 6, (size, size, 3))
        pixels = np.clip(np.asarray(smooth) + noise, 0, 255).astype(np.uint8)
        split = "train" if number < COUNT[size] else "val"
        place = folder / split / f"class{number % 10}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(place / f"{number:06}.jpg", quality=90)


def files_of(folder: Path) -> list[tuple[Path, int]]:
    """The drawn images to train on and their labels, in the order of a project."""
    return [
        (file, label)
        for label, place in enumerate(sorted((folder / "train").iterdir()))
        for file in sorted(place.iterdir())
    ]


def decode(file: Path | str) -> np.ndarray:
    """The pixels that every way to read must give: those of Pillow, (H, W, 3) uint8."""
    with Image.open(file) as image:
        return np.array(image.convert("RGB"))


def package_name(data_format: str, size: int) -> str:
    return f"bench{data_format}{size}"


def new_project(scratch: Path, data_format: str, name: str, *flags: str) -> Path:
    """Generate a project, without data, with more answers as `flags`; returns its folder."""
    line = ["-m", "torchgen_cli", "new", str(scratch / name), "--defaults", "--no-git"]
    run(scratch, *line, "--project-name", name, "--data-format", data_format, *flags)
    return scratch / name


def prepare(scratch: Path, data_format: str, size: int, *flags: str) -> None:
    """Generate a project and have it store the images drawn in `scratch`/images<size>."""
    name = package_name(data_format, size)
    folder = new_project(scratch, data_format, name, *flags)
    run(folder, "-m", f"{name}.prepare", "--source", str(scratch / f"images{size}"))


def module_of(scratch: Path, name: str, module: str) -> ModuleType:
    """Import a module of a generated project."""
    if str(scratch / name) not in sys.path:
        sys.path.insert(0, str(scratch / name))
    return importlib.import_module(f"{name}.{module}")


def run(folder: Path, *line: str) -> None:
    """Run python in a folder; its errors are shown, its output is not."""
    null = subprocess.DEVNULL
    subprocess.run(
        [sys.executable, *line], cwd=folder, env=ENVIRONMENT, check=True, stdin=null, stdout=null
    )
