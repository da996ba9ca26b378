"""What options of the toolbox bring: accuracy over seeds, on the digits and on a harder set.

    python benchmarks/toolbox.py [--seeds 5] [--epochs 20] [--only default sgd]

Writes its section of benchmarks/README.md. It measures accuracy, not time, so other work on the
machine does no harm.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from drawn import new_project, run
from PIL import Image
from timing import ENVIRONMENT, TRY, write_section

NAME = "options"
OPTIONS = {
    "default": "",
    "SGD": "--optimizer sgd --lr 0.05 --weight-decay 5e-4",
    "EMA": "--ema-decay 0.99",
    "SWA": "--swa-from {late} --swa-lr 5e-4",
    "mixup": "--mixup 0.2",
    "CutMix": "--cutmix 1",
    "label smoothing": "--label-smoothing 0.1",
    "one-cycle": "--schedule onecycle",
}
FEW = 10  # images of each new class that fine-tuning gets
SIDE = 24  # pixels of an image of the harder set


def draw_hard(folder: Path, classes: range, train: int, val: int, seed: int = 0) -> None:
    """Digits turned and scaled on a noisy ground with pieces of others: {train,val}/<digit>/."""
    from sklearn.datasets import load_digits

    digits, random = load_digits(), np.random.default_rng(seed)
    scans = (digits.images * 255 / 16).astype(np.uint8)
    order = random.permutation(len(scans))
    for split, own, count in (("train", order[600:], train), ("val", order[:600], val)):
        for label in classes:
            of_class = own[digits.target[own] == label]
            (folder / split / str(label)).mkdir(parents=True)
            for number in range(count):
                ground = random.normal(70, 35, (SIDE, SIDE))
                for _ in range(2):  # halves of other digits
                    add(ground, scans[random.choice(own)][:, :4], random, 0.6)
                add(ground, scans[random.choice(of_class)], random, 1.0)
                pixels = np.clip(ground, 0, 255).astype(np.uint8)
                Image.fromarray(pixels).save(folder / split / str(label) / f"{number:04}.png")


def add(ground: np.ndarray, scan: np.ndarray, random: np.random.Generator, weight: float) -> None:
    """Put a scan somewhere, turned by up to 40 degrees and at 1 to 2 times its size."""
    width, height = (int(side * random.uniform(1, 2)) for side in scan.shape[::-1])
    turned = Image.fromarray(scan).resize((width, height), Image.Resampling.BICUBIC)
    turned = turned.rotate(random.uniform(-40, 40), Image.Resampling.BICUBIC, expand=True)
    patch = np.asarray(turned)[:SIDE, :SIDE] * weight
    top, left = (int(random.integers(SIDE - side + 1)) for side in patch.shape)
    place = ground[top : top + patch.shape[0], left : left + patch.shape[1]]
    np.maximum(place, patch, out=place)


def accuracy(folder: Path, data: str, flags: str, run_dir: str) -> float:
    """Train; returns the validation accuracy after the last epoch."""
    line = f"--data-dir {data} --run-dir runs/{run_dir} --device cpu --no-report {flags}"
    environment = ENVIRONMENT | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", f"{NAME}.train", *line.split()]
    null = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, env=environment, check=True, stdin=null, stdout=null)
    lines = (folder / "runs" / run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return float(json.loads(lines[-1])["accuracy"])


def spread(values: list[float]) -> str:
    """Mean and standard deviation in percent."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{100 * statistics.fmean(values):.2f} ± {100 * deviation:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--only", nargs="+", default=list(OPTIONS), choices=list(OPTIONS))
    given = parser.parse_args()
    size = (16, 6) if TRY else (150, 100)  # images per class of the harder set, train and val
    with tempfile.TemporaryDirectory() as scratch:
        folder = new_project(Path(scratch), "hdf5", NAME, "--logger", "none")
        draw_hard(folder / "hard", range(10), *size)
        draw_hard(folder / "first", range(5), *size, seed=1)
        draw_hard(folder / "last", range(5, 10), FEW, size[1], seed=2)
        run(folder, "-m", f"{NAME}.prepare", "--demo", "--data-dir", "data/digits")
        for name in ("hard", "first", "last"):
            source = ("--source", name, "--data-dir", f"data/{name}")
            run(folder, "-m", f"{NAME}.prepare", *source)
        with ThreadPoolExecutor(2) as pool:
            options = measure_options(folder, given, pool)
            tuned = measure_tuning(folder, given, pool)
    note = (
        f"Validation accuracy in percent after the last of {given.epochs} epochs, mean and "
        f"standard deviation over {given.seeds} seeds. The digits: 1,438 images to train on, 359 "
        f"to validate. The harder set: digits turned and scaled on a noisy ground with pieces of "
        f"others, {SIDE} x {SIDE} pixels, {10 * size[0]:,} to train on, {10 * size[1]:,} from "
        "other scans to validate. The values of the options are usual ones; none was tuned here."
    )
    write_section("toolbox.py", "Options", note, [options, tuned])


def measure_options(folder: Path, given: argparse.Namespace, pool: ThreadPoolExecutor) -> str:
    """A row for each option."""
    late = max(1, round(0.7 * given.epochs))
    rows = ["| option | flags | digits | harder set |", "|---|---|---|---|"]
    jobs = {}
    for name in given.only:
        flags = OPTIONS[name].format(late=late)
        for data in ("digits", "hard"):
            jobs[name, data] = [
                pool.submit(
                    accuracy,
                    folder,
                    f"data/{data}",
                    f"--epochs {given.epochs} --seed {seed} {flags}",
                    f"{name.replace(' ', '-')}-{data}-{seed}",
                )
                for seed in range(given.seeds)
            ]
    for name in given.only:
        digits, hard = (
            spread([job.result() for job in jobs[name, data]]) for data in ("digits", "hard")
        )
        flags = OPTIONS[name].format(late=late)
        rows.append(f"| {name} | {f'`{flags}`' if flags else ''} | {digits} | {hard} |")
    return "\n".join(rows)


def measure_tuning(folder: Path, given: argparse.Namespace, pool: ThreadPoolExecutor) -> str:
    """Fine-tuning on the last five classes against training from scratch, at equal steps."""
    few = f"--batch-size 10 --epochs {2 * given.epochs}"
    ways = {
        "from scratch": "",
        "from five other classes": "--init-from runs/first-{seed}",
        "the same, the first layers frozen": "--init-from runs/first-{seed} --freeze stem stages.0",
    }

    def of_seed(seed: int) -> list[float]:
        accuracy(folder, "data/first", f"--epochs {given.epochs} --seed {seed}", f"first-{seed}")
        return [
            accuracy(
                folder,
                "data/last",
                f"{few} --seed {seed} {flags.format(seed=seed)}",
                f"tuned-{number}-{seed}",
            )
            for number, flags in enumerate(ways.values())
        ]

    found = list(pool.map(of_seed, range(given.seeds)))
    rows = [
        f"| {5 * FEW} images of five new classes, {2 * given.epochs} epochs | accuracy |",
        "|---|---|",
    ]
    for name, values in zip(ways, zip(*found, strict=True), strict=True):
        rows.append(f"| {name} | {spread(list(values))} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
