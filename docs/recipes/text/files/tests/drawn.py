"""Texts to learn from, as `prepare` takes them. It is yours to change with `data/source.py`."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

CLASSES = ["left", "middle", "right"]
TRAIN, VAL = 16, 5  # texts per class
LETTERS = np.array(list("abcdefgh éü日"))


def draw_tree(folder: Path, *, seed: int = 0) -> None:
    """Write FOLDER/{train,val}/texts.csv: noise of any length, with the word of the class in it."""
    random = np.random.default_rng(seed)
    for split, count in (("train", TRAIN), ("val", VAL)):
        rows = []
        for name, word in zip(CLASSES, ("xxxx", "yyyy", "zzzz"), strict=True):
            for _ in range(count):
                before, after = (
                    "".join(random.choice(LETTERS, n)) for n in random.integers(1, 20, 2)
                )
                rows.append((f"{before}{word}{after}", name))
        write_table(folder / split, rows)


def write_table(root: Path, rows: Sequence[tuple[str, str]]) -> None:
    """Write texts and their classes as one split."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def write_source(root: Path, texts: Sequence[str]) -> None:
    """Write texts as one split, in the order that they are read in: class by class."""
    names = ("ant", "bee", "cat é")
    write_table(root, [(t, names[3 * n // len(texts)]) for n, t in enumerate(texts)])


def some_targets(count: int) -> tuple[list[str], np.ndarray]:
    """Classes, and the targets of that many samples as a file has them."""
    return ["a", "b", "ü"], np.arange(count) % 3
