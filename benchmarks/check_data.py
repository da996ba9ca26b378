"""What `check_data` finds of faults that were planted in many images, and how long it takes.

    python benchmarks/check_data.py [--images 100000]

Writes its section of benchmarks/README.md.
"""

import argparse
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from drawn import module_of, new_project
from PIL import Image
from timing import ENVIRONMENT, TRY, write_section

NAME = "checked"
SIDE, CLASSES = 48, 10
PLANTED = 5 if TRY else 100  # of each kind
KINDS = {
    "copy": "the same file twice in one split",
    "leak": "the same file in both splits",
    "conflict": "the same file in two classes of a split",
    "near-leak": "at 5/6 of the size, JPEG quality 75, in the other split",
    "near-copy": "15 % brighter, in the same split",
    "blank": "of one color",
    "tiny": "10 x 10 pixels",
    "unreadable": "cut off half way",
}
Groups = dict[str, set[frozenset[str]]]


def draw(folder: Path, count: int) -> list[Path]:
    """Scans of digits, turned, on smooth colored grounds: {train,val}/<digit>/<number>.jpg."""
    from sklearn.datasets import load_digits

    digits, random = load_digits(), np.random.default_rng(0)
    scans = (digits.images * 255 / 16).astype(np.uint8)
    files = []
    for number in range(count):
        pick = int(random.integers(len(scans)))
        coarse = random.integers(0, 160, (4, 4, 3), dtype=np.uint8)
        ground = Image.fromarray(coarse).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        width, height = (int(size) for size in random.integers(20, 40, 2))
        scan = Image.fromarray(scans[pick]).resize((width, height), Image.Resampling.BICUBIC)
        scan = scan.rotate(float(random.uniform(-40, 40)))
        left, top = int(random.integers(SIDE - width)), int(random.integers(SIDE - height))
        ground.paste((255, 255, 255), (left, top), scan)
        split = "val" if number % 5 == 0 else "train"
        place = folder / split / str(digits.target[pick])
        place.mkdir(parents=True, exist_ok=True)
        files.append(place / f"{number:06}.jpg")
        ground.save(files[-1], quality=92)
    return files


def plant(files: list[Path], root: Path) -> Groups:
    """Add PLANTED images of each kind; returns which files belong together."""
    random = np.random.default_rng(1)
    some = iter(random.permutation(len(files)).tolist())
    planted: Groups = {kind: set() for kind in KINDS}
    ways: dict[str, Callable[[Path], bytes]] = {
        "near-leak": lambda file: saved(Image.open(file).resize((40, 40)), 75),
        "near-copy": lambda file: saved(Image.open(file).point(lambda v: min(255, v * 1.15)), 92),
        "blank": lambda file: saved(Image.open(file).crop((0, 0, 1, 1)).resize((SIDE, SIDE)), 92),
        "tiny": lambda file: saved(Image.open(file).resize((10, 10)), 92),
        "unreadable": lambda file: file.read_bytes()[: file.stat().st_size // 2],
    }
    for kind in KINDS:
        for number in range(PLANTED):
            original = files[next(some)]
            split, label = original.parent.parent.name, original.parent.name
            if kind in ("leak", "near-leak"):
                split = "val" if split == "train" else "train"
            if kind == "conflict":
                label = str((int(label) + 1) % CLASSES)
            new = root / split / label / f"{kind[0]}{len(kind)}{number:05}.jpg"
            new.write_bytes(ways.get(kind, Path.read_bytes)(original))
            alone = kind in ("blank", "tiny", "unreadable")
            planted[kind].add(frozenset([str(new)] if alone else [str(new), str(original)]))
    return planted


def saved(image: Image.Image, quality: int) -> bytes:
    """The content of a JPEG file."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()


def check(project: Path, source: Path) -> tuple[Groups, float]:
    """Run the command; returns what it found, by files, and the seconds that it took."""
    began = time.perf_counter()
    line = [sys.executable, "-m", f"{NAME}.tools.check_data", "--source", str(source), "--json"]
    done = subprocess.run(line, cwd=project, env=ENVIRONMENT, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode != 1:
        raise SystemExit(f"check_data ended with {done.returncode}: {done.stderr.decode()}")
    in_files = module_of(project.parent, NAME, "data.doctor").in_files
    where = {split.name: split.where for split in in_files(source, 0.2, 0, leaves=False)}
    found = {
        finding["kind"]: {
            frozenset(where[split](index) for split, index in group) for group in finding["groups"]
        }
        for finding in json.loads(done.stdout)["findings"]
    }
    return found, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=1_000 if TRY else 100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        project = new_project(Path(scratch), "imagefolder", NAME, "--logger", "none")
        source = Path(scratch) / "images"
        planted = plant(draw(source, given.images), source)
        found, seconds = check(project, source)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
    everything = set().union(*planted.values())
    rows = ["| planted | found | found beside them |", "|---|---|---|"]
    for kind, words in KINDS.items():
        groups = found.get(kind, set())
        hit = sum(any(pair <= group for group in groups) for pair in planted[kind])
        rest = sum(not any(pair <= group for pair in everything) for group in groups)
        rows.append(f"| {words} | {hit} of {PLANTED} | {rest} |")
    others = sorted(found.keys() - KINDS)
    note = (
        f"{given.images:,} images of {SIDE} x {SIDE} pixels, JPEG, and {PLANTED} faults of each of "
        f"{len(KINDS)} kinds: `check_data --source` took {seconds:.0f} s, and {peak:,.0f} MiB. "
        "*Found beside them*: groups of that kind in which nothing was planted. "
        f"Findings of other kinds: {', '.join(others) or 'none'}."
    )
    write_section("check_data.py", "Faults in data", note, ["\n".join(rows)])


if __name__ == "__main__":
    main()
