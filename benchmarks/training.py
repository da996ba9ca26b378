"""How fast is training: the projects of two commits of the template, side by side.

    python benchmarks/training.py --before COMMIT [--rounds 5]

Renders a default project of each, trains both in turn on the CPU, round after round, and writes its
section of docs/performance.md. The checkpoints of the last row hold about 1 GB.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from timing import ROOT, TRY, write_section

NAMES = ("before", "now")
LARGE = ("--width", "512", "--batch-size", "2", "--max-samples", "64", "--max-steps", "4")


def render(commit: str, folder: Path) -> None:
    """A default project without extras, of a commit of this repository."""
    line = [sys.executable, "-m", "copier", "copy", "--defaults", "--quiet", "--vcs-ref", commit]
    answers = ("project_name=scans", "package_name=scans", "logger=none", "extras=[]")
    given = [word for answer in answers for word in ("--data", answer)]
    subprocess.run([*line, *given, str(ROOT), str(folder)], check=True)


def draw_photos(folder: Path, count: int) -> None:
    """JPEG files of 300 x 400 pixels, of two classes."""
    random = np.random.default_rng(0)
    for number in range(count):
        place = folder / f"class{number % 2}" / f"{number}.jpg"
        place.parent.mkdir(parents=True, exist_ok=True)
        small = Image.fromarray(random.integers(0, 256, (30, 40, 3), dtype=np.uint8))
        small.resize((400, 300), Image.Resampling.BICUBIC).save(place, quality=90)


def run(project: Path, module: str, *flags: str) -> float:
    """Run a command of the project; returns the seconds that it took."""
    own = os.environ | {"PYTHONPATH": str(project), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, "-m", f"scans.{module}", *flags]
    began = time.perf_counter()
    done = subprocess.run(line, cwd=project, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(line)} failed:\n{done.stderr}")
    return time.perf_counter() - began


def train(project: Path, *flags: str) -> tuple[float, list[float]]:
    """Train; returns the seconds, and the samples per second of each epoch."""
    run_dir = project / "run"
    shutil.rmtree(run_dir, ignore_errors=True)
    seconds = run(project, "train", "--run-dir", str(run_dir), "--device", "cpu", *flags)
    lines = map(json.loads, (run_dir / "metrics.jsonl").read_text().splitlines())
    return seconds, [line["samples_per_second"] for line in lines if line["split"] == "train"]


def of_thousand_samples(project: Path, *flags: str) -> float:
    """Seconds of training, in the fastest epoch but the first, which starts the workers."""
    _, speeds = train(project, *flags, "--width", "8")
    return 1000 / max(speeds[1:])


def of_a_checkpoint(project: Path, *flags: str) -> float:
    """Seconds that a checkpoint after each of four steps takes besides the steps."""
    often, _ = train(project, *flags, *LARGE, "--checkpoint-every", "1")
    once, _ = train(project, *flags, *LARGE, "--checkpoint-every", "1000")
    return (often - once) / 3  # the last step's comes in both


def of_a_start(project: Path, *flags: str) -> float:
    """Seconds of a run of one step."""
    return train(project, *flags)[0]


DIGITS, PHOTOS = ("--epochs", "4"), ("--epochs", "3", "--data-dir", "photos")
ALONE = ("--num-workers", "0")
ROWS: dict[str, tuple[Callable[..., float], tuple[str, ...]]] = {
    "digits, no workers: 1,000 samples": (of_thousand_samples, (*DIGITS, *ALONE)),
    "digits, two workers: 1,000 samples": (of_thousand_samples, DIGITS),
    "photos of 300 x 400, no workers: 1,000 samples": (of_thousand_samples, (*PHOTOS, *ALONE)),
    "photos of 300 x 400, two workers: 1,000 samples": (of_thousand_samples, PHOTOS),
    "a run of one step, start and end included": (
        of_a_start,
        (*ALONE, "--max-samples", "64", "--epochs", "1", "--width", "8"),
    ),
    "a checkpoint of 1 GB": (of_a_checkpoint, ALONE),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rounds, photos = (1, 100) if TRY else (arguments.rounds, 1000)
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        projects = {each: scratch / each for each in NAMES}
        draw_photos(scratch / "photos", photos)
        for each, commit in (("before", arguments.before), ("now", "HEAD")):
            render(commit, projects[each])
            run(projects[each], "prepare", "--demo")
            source = ("--source", str(scratch / "photos"), "--data-dir", "photos")
            run(projects[each], "prepare", *source)
        found: dict[str, dict[str, list[float]]] = {row: {n: [] for n in NAMES} for row in ROWS}
        for number in range(rounds + 1):
            for row, (measure, flags) in ROWS.items():
                for each in NAMES:
                    if number:
                        found[row][each].append(measure(projects[each], *flags))
                    elif measure is not of_a_checkpoint:  # the round that warms the caches
                        measure(projects[each], *flags)
    table = ["| what | before, s | now, s | ratio |", "|---|---|---|---|"]
    for row, both in found.items():
        before, now = (statistics.median(both[each]) for each in NAMES)
        table.append(f"| {row} | {before:.2f} | {now:.2f} | {now / before:.2f} |")
    note = (
        f"{rounds} rounds, medians; one thread per process. Default projects without extras and "
        f"tracker, of commit {arguments.before[:8]} and of this one."
    )
    write_section("training.py", "Training", note, ["\n".join(table)])


if __name__ == "__main__":
    main()
