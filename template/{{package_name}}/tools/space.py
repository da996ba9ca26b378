"""What a sweep varies: `lr=1e-4..1e-1` is a range, `optimizer=adamw,sgd` a list of choices."""

from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..config import Config

WIDE = 100  # a range whose ends are this many times apart is searched on a logarithmic scale


class Range(NamedTuple):
    """Numbers between two ends, both included."""

    low: float
    high: float
    whole: bool  # whole numbers alone
    log: bool


Space = dict[str, Range | list[str]]


def read_space(words: Iterable[str]) -> Space:
    """Read NAME=LOW..HIGH and NAME=A,B,C; raises ValueError for what is neither."""
    space: Space = {}
    for word in words:
        name, value = read_setting(word)
        low, dots, high = value.partition("..")
        space[name] = read_range(word, low, high) if dots else value.split(",")
    return space


def read_range(word: str, low: str, high: str) -> Range:
    """A range, of whole numbers if both ends are."""
    try:
        ends = float(low), float(high)
    except ValueError:
        raise ValueError(f"--vary {word}: a range has numbers as its ends, 1e-4..1e-1") from None
    if not ends[0] < ends[1]:
        raise ValueError(f"--vary {word}: the first end of a range is the lower one")
    whole = all(end.lstrip("-").isdigit() for end in (low, high))
    return Range(*ends, whole, ends[0] > 0 and ends[1] / ends[0] >= WIDE)


def read_setting(word: str) -> tuple[str, str]:
    """Read NAME=VALUE, where the name is that of a setting; raises ValueError."""
    name, given, value = word.partition("=")
    name = name.replace("-", "_")
    if not given or not value:
        raise ValueError(f"{word}: write NAME=VALUE, as epochs=5")
    names = [each.name for each in fields(Config)]
    if name not in names:
        near = get_close_matches(name, names, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{word}: there is no setting {name}{meant}")
    return name, value


def as_flags(settings: dict[str, Any]) -> list[str]:
    """Settings as words of a command line: yes and no, true and false are switches."""
    words: list[str] = []
    for name, value in settings.items():
        flag, text = name.replace("_", "-"), str(value)
        if text.lower() in ("true", "yes"):
            words.append(f"--{flag}")
        elif text.lower() in ("false", "no"):
            words.append(f"--no-{flag}")
        else:
            words += [f"--{flag}", *text.split()]
    return words
