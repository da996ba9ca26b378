"""What `prepare` reads, and what is to be learned of each text: its class.

ROOT/texts.csv has a line for each text and its class. A text with a comma, a quote or a line break
stands in quotes.

    text,label
    Where is my order?,shipping
    "It broke, after a day.",quality
"""

import ast
import csv
import hashlib
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from ..base.errors import DataError, UserError
from . import folders
from .folders import Names, Tree

TABLE, HEADER = "texts.csv", ["text", "label"]
SAMPLE = "text"  # what a sample is called in messages
SHOWN = 5  # names in a line
# of the demo: packages of Python's library, and how short a text may be
PACKAGES = (
    *("asyncio", "email", "http", "importlib", "logging"),
    *("multiprocessing", "unittest", "urllib", "xml"),
)
SHORTEST = 30


@dataclass(frozen=True)
class Texts(Tree):
    """N texts of a table, class by class. The name of each is the line that it begins in."""

    texts: list[str]

    def select(self, indices: np.ndarray) -> Self:
        """The same table and classes with these texts only."""
        chosen = [self.texts[index] for index in indices.tolist()]
        return replace(super().select(indices), texts=chosen)


def find_splits(
    source: Path, val_fraction: float, seed: int, *, leaves: bool = False
) -> tuple[Texts, Texts]:
    """The texts of train and val: as `source` has them apart, or else split class by class."""
    if leaves:
        raise DataError(f"--leaves is for class folders: here {TABLE} names the classes")

    def has_table(folder: Path) -> bool:
        return (folder / TABLE).is_file()

    return folders.find_splits(source, scan, has_table, TABLE, val_fraction, seed)


def scan(root: Path) -> Texts:
    """Read the table: classes sorted, the texts of each in the order of the table.

    Raises DataError, naming the line, where the table is not as it should be.
    """
    table = root / TABLE
    texts, labels, lines = list[str](), list[str](), list[int]()
    for line, row in read_rows(table):
        if len(row) != 2 or not row[1].strip():
            raise DataError(f"{table}, line {line}: not a text and its class; has it a comma?")
        texts.append(row[0])
        labels.append(row[1].strip())
        lines.append(line)
    if not texts:
        raise DataError(f"{table} has no text")
    classes, numbers = np.unique(labels, return_inverse=True)
    order, names = np.argsort(numbers, kind="stable"), Names()
    names.extend(f"{TABLE}, line {lines[index]}" for index in order)
    targets = numbers[order].astype(np.int64)
    ordered = [texts[index] for index in order]
    # all classes lie in one folder; as places they are split one by one
    return Texts(root, classes.tolist(), targets, names, targets, [""] * len(classes), ordered)


def read_rows(table: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header, each with the line that it begins in; empty lines are left out."""
    line = 1
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            for row in rows:
                if line == 1 and row != HEADER:
                    raise DataError(f"{table} has to begin with the line {','.join(HEADER)}")
                if line > 1 and row:
                    yield line, row
                line = rows.line_num + 1
    except csv.Error as error:
        raise DataError(f"{table}, line {line}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{table}: {reason}") from error


def encode(text: str, length: int) -> np.ndarray:
    """The bytes of a text, (length,) uint8, as UTF-8: zeros fill a shorter one up.

    A longer one is cut, between two characters. Raises DataError where there is nothing to read.
    """
    if not text.strip():
        raise DataError("the text is empty")
    if "\0" in text:
        raise DataError("the text has a NUL character, which is padding here")
    tokens = np.zeros(length, np.uint8)
    data = text.encode()[:length].decode(errors="ignore").encode()
    tokens[: len(data)] = np.frombuffer(data, np.uint8)
    return tokens


def describe_targets(tree: Texts) -> list[str]:
    """How many classes there are, and their first names."""
    more = f" and {len(tree.classes) - SHOWN:,} more" if len(tree.classes) > SHOWN else ""
    return [f"{counted(tree.classes)}: {', '.join(tree.classes[:SHOWN])}{more}"]


def counted(classes: Sequence[str]) -> str:
    """How many there are, in the words of every message about them."""
    return "1 class" if len(classes) == 1 else f"{len(classes):,} classes"


def check_rest(split: str, tree: Texts, left_out: dict[int, str]) -> None:
    """Refuse a class without a training text, and a split without any."""
    left = np.bincount(np.delete(tree.targets, list(left_out)), minlength=len(tree.classes))
    if not left.any():
        raise DataError(f"no readable text is left for {split}")
    if split == "train" and not left.all():
        name = tree.classes[int(left.argmin())]
        raise DataError(f"class {name!r} has no readable text to train on")


def checked(targets: np.ndarray, classes: list[str], where: str) -> np.ndarray:
    """The targets of a file as the task takes them, (N,) int64; raises DataError naming a place."""
    if targets.ndim != 1 or targets.dtype.kind not in "iu":
        raise DataError(f"{where} is {targets.dtype} {targets.shape}, not one integer per text")
    for index in np.flatnonzero((targets < 0) | (targets >= len(classes)))[:1]:
        raise DataError(
            f"{where}[{index}] is {targets[index]}, "
            f"which does not fit {len(classes)} classes, 0 to {len(classes) - 1}"
        )
    return targets.astype(np.int64)


def draw_demo(folder: Path) -> Path:
    """Docstrings and comments of Python's own library; the class is the package that has them.

    No file is in both splits: those of a quarter of a package's texts are for validation. A text
    that comes again is left out.
    """
    library, seen = Path(sysconfig.get_path("stdlib")), set[str]()
    rows: dict[str, list[tuple[str, str]]] = {"train": [], "val": []}
    for package in PACKAGES:
        found: list[list[str]] = []
        for file in sorted((library / package).rglob("*.py"), key=shuffled):
            texts = [t for t in passages(file.read_text(encoding="utf-8")) if t not in seen]
            seen.update(texts)
            found.append(list(dict.fromkeys(texts)))
        room = sum(map(len, found)) / 4
        for texts in found:
            split = "val" if len(texts) <= room else "train"
            room -= len(texts) * (split == "val")
            rows[split] += [(text, package) for text in texts]
    if not rows["val"]:
        raise UserError(f"the demo needs the source files of Python's library, below {library}")
    for split, content in rows.items():
        write_table(folder / split, content)
    return folder


def shuffled(file: Path) -> str:
    """What sorts files into an order that has nothing to do with their names' alphabet."""
    return hashlib.sha256(f"{file.parent.name}/{file.name}".encode()).hexdigest()


def passages(code: str) -> Iterator[str]:
    """The paragraphs of a module's docstrings, and its comments, each in one line."""
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found += re.split(r"\n\s*\n", ast.get_docstring(node) or "")
    comments = re.findall(r"(?:^[ \t]*#.*\n)+", code, re.MULTILINE)
    found += [re.sub(r"^[ \t]*#+", "", comment, flags=re.MULTILINE) for comment in comments]
    for text in found:
        line = " ".join(text.split())
        if len(line) >= SHORTEST:
            yield line


def write_table(root: Path, rows: Sequence[tuple[str, str]]) -> None:
    """Write texts and their classes into a new folder, as `scan` reads them."""
    root.mkdir(parents=True)
    with (root / TABLE).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
