"""Checks on a rendered project's text: words of other choices, stray blanks, leftovers.

Each check takes a tree and yields a line per finding; none is good.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import renderings
from .answers import EXTRAS, Answers, made


class Words(NamedTuple):
    """Libraries and commands that only projects with one of these choices may name, in any case."""

    question: str
    choices: tuple[str, ...]
    words: tuple[str, ...]


VOCABULARY = (
    Words("parallelism", ("ddp", "fsdp"), ("nccl", "gloo")),
    Words("parallelism", ("ddp",), ("DistributedDataParallel",)),
    Words("parallelism", ("fsdp",), ("fully_shard", "DTensor")),
    Words("data_format", ("hdf5",), ("hdf5", "h5py", "h5")),
    Words("data_format", ("lmdb",), ("lmdb",)),
    Words("data_format", ("webdataset",), ("webdataset", "tarfile")),
    Words("logger", ("tensorboard",), ("tensorboard", "SummaryWriter", "tfevents")),
    Words("logger", ("wandb",), ("wandb",)),
    Words("logger", ("mlflow",), ("mlflow",)),
    Words("logger", ("trackio",), ("trackio",)),
    Words("launcher", ("slurm",), ("slurm", "sbatch", "srun", "scancel")),
    Words("launcher", ("kubernetes",), ("kubernetes", "kubectl", "pod")),
    Words("extras", ("serve",), ("fastapi", "uvicorn", "multipart", "starlette")),
    Words("extras", ("sweep",), ("optuna",)),
    Words("extras", ("export", "serve"), ("onnxruntime",)),
)
ALL_WORDS = tuple(word for entry in VOCABULARY for word in entry.words)
# the README's one line on how to change an answer, and its line on how to add an extra, may name
# the others
CHANGE = re.compile(r"^.*\btorchgen set\b.*$", re.MULTILINE)
ADD = re.compile(rf"^ *torchgen add ({'|'.join(EXTRAS)})\b.*$", re.MULTILINE)
# these serve any set: what projects leave behind, and proofs that know each choice
GENERAL = (".gitignore", f"{renderings.PACKAGE}/verify/", "tests/machinery/", "tests/verify/")
LEFTOVER = re.compile(r"\{%|\{#|(?<!\$)\{\{ *\w*(package_name|project_name|_copier)|myproj")


def foreign_words(tree: Path, answers: Answers) -> Iterator[str]:
    """Words of choices that were not made, in the files and in their names."""
    foreign = {
        word.lower()
        for entry in VOCABULARY
        if not made(answers, entry.question) & set(entry.choices)
        for word in entry.words
    }
    for name, content in renderings.files(tree):
        text = content.decode()
        if name.startswith(GENERAL):
            continue
        if name == "README.md":
            text = ADD.sub("", CHANGE.sub("", text, count=1), count=len(EXTRAS))
        for place, said_there in (("its name", said(name, ALL_WORDS)), *lines(text)):
            if found := {word for word in said_there if word.lower() in foreign}:
                yield f"{name}: {place} says {', '.join(sorted(found))}"


@cache  # most files are those of many sets
def lines(text: str) -> list[tuple[str, set[str]]]:
    """Each line that says a word of any choice, by number."""
    numbered = enumerate(text.splitlines(), 1)
    return [
        (f"line {number}", found) for number, line in numbered if (found := said(line, ALL_WORDS))
    ]


@cache
def said(text: str, words: tuple[str, ...]) -> set[str]:
    """Which of the words stand in the text; an underscore ends a word as a blank does."""
    return set(pattern(words).findall(text)) if words else set()


@cache
def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern of whole words."""
    either = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])", re.IGNORECASE)


def stray_blanks(tree: Path) -> Iterator[str]:
    """Trailing blanks, tabs, blank lines too many, a missing or doubled newline at the end."""
    for name, content in renderings.files(tree):
        for finding in blanks_in(content.decode(), python=name.endswith(".py")):
            yield f"{name}: {finding}"


@cache
def blanks_in(text: str, python: bool) -> list[str]:
    """The findings of `stray_blanks` in one file."""
    most = 2 if python else 1
    rules = {
        "a blank at the end of a line": r"[ \t]+$",
        "a tab": r"\t",
        "a carriage return": r"\r",
        f"more than {most} blank lines together": rf"\n{{{most + 2}}}",
        "a blank line at its beginning": r"\A\n",
        "no newline at its end": r"[^\n]\Z",
        "a blank line at its end": r"\n\n\Z",
    }
    found = []
    for what, rule in rules.items():
        if match := re.search(rule, text, re.MULTILINE):
            found.append(f"{what}, line {text.count(chr(10), 0, match.start()) + 1}")
    return found


def leftovers(tree: Path) -> Iterator[str]:
    """Traces of the template itself: tags, suffixes, empty files, the contract's sample name."""
    for name, content in renderings.files(tree):
        if name.endswith(".jinja") or name.startswith("variants"):
            yield f"{name} belongs to the template"
        if not content and not name.endswith("__init__.py"):
            yield f"{name} is empty"
        if name.endswith(".html"):  # a page of the project, which Jinja fills at run time
            continue
        for match in LEFTOVER.finditer(content.decode()):
            yield f"{name}: {match[0]!r} is left over"


def module_names(tree: Path) -> Iterator[str]:
    """Modules that the README or AGENTS.md speaks of, and which are not there."""
    there = {f"/{path.relative_to(tree).as_posix()}" for path in tree.rglob("*.py")}
    for name in ("README.md", "AGENTS.md"):
        for mentioned in re.findall(r"[\w/]+\.py\b", (tree / name).read_text(encoding="utf-8")):
            if not any(path.endswith(f"/{mentioned.lstrip('/')}") for path in there):
                yield f"{name} speaks of {mentioned}, which is not there"
