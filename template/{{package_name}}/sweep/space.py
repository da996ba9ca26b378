"""What a sweep varies: `lr=1e-4..1e-1` is a range, `optimizer=adamw,sgd` a list of choices."""

from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..base.errors import FlagError
from ..config import Config

WIDE = 100  # a range whose ends are this many times apart is searched on a logarithmic scale


class Range(NamedTuple):
    """Numbers between two ends, both included."""

    low: float
    high: float
    whole: bool  # only whole numbers
    log: bool


Space = dict[str, Range | list[str]]


def parse_space(words: Iterable[str]) -> Space:
    """Parse NAME=LOW..HIGH and NAME=A,B,C; raises FlagError for anything else."""
    space: Space = {}
    for word in words:
        name, value = parse_setting(word)
        low, dots, high = value.partition("..")
        space[name] = parse_range(word, low, high) if dots else value.split(",")
    return space


def parse_range(word: str, low: str, high: str) -> Range:
    """A range, of whole numbers if both ends are."""
    try:
        first, last = float(low), float(high)
    except ValueError:
        raise FlagError(f"--vary {word}: the ends of a range are numbers, as 1e-4..1e-1") from None
    if not first < last:
        raise FlagError(f"--vary {word}: the first end of a range must be the lower one")
    whole = all(end.lstrip("-").isdigit() for end in (low, high))
    return Range(first, last, whole, first > 0 and last / first >= WIDE)


def parse_setting(word: str) -> tuple[str, str]:
    """Parse NAME=VALUE; raises FlagError if NAME is no setting of `train`."""
    name, _, value = word.partition("=")
    name = name.replace("-", "_")
    if not value:
        raise FlagError(f"{word}: write NAME=VALUE, as epochs=5")
    names = [field.name for field in fields(Config)]
    if name not in names:
        near = get_close_matches(name, names, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise FlagError(f"{word}: there is no setting {name}{hint}")
    return name, value


def as_flags(settings: dict[str, Any]) -> list[str]:
    """Settings as flags of `train`; true and false are switches."""
    flags: list[str] = []
    for name, value in settings.items():
        flag, text = name.replace("_", "-"), str(value)
        if text.lower() in ("true", "false"):
            flags.append(f"--{flag}" if text.lower() == "true" else f"--no-{flag}")
        else:
            flags += [f"--{flag}", *text.split()]
    return flags
