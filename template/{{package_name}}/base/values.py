"""Settings as plain values: what JSON files and checkpoints hold, and the way back."""

import dataclasses
import math
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

T = TypeVar("T")
Plain = dict[str, Any]  # numbers, text, None, lists and dictionaries of these


def require(holds: bool, name: str, bounds: str, value: object) -> None:
    """Raise ValueError, naming the flag of setting `name`, unless its value is within bounds."""
    if not holds:
        raise ValueError(f"--{name.replace('_', '-')} must be {bounds}, not {value}")


def shown(value: float) -> str:
    """A number as lines for people have it: four decimals, unless these would say too little."""
    usual = value == 0 or not math.isfinite(value) or 1e-3 <= abs(value) < 1e6
    return f"{value:.4f}" if usual else f"{value:.3e}"


def parse_interval(text: str) -> tuple[int | None, float | None]:
    """Read "500" as (500 steps, None) and "10m" as (None, 600.0 seconds)."""
    match = re.fullmatch(r"([1-9]\d*)([smh]?)", text)
    if match is None:
        raise ValueError(
            f"--checkpoint-every takes steps (500) or a time (30s, 10m, 2h), not {text!r}"
        )
    count, unit = int(match[1]), match[2]
    if not unit:
        return count, None
    return None, float(count * {"s": 1, "m": 60, "h": 3600}[unit])


def to_plain(settings: Any) -> Plain:
    """The fields of a dataclass as JSON and checkpoints hold them: paths as text, lists."""
    values = dataclasses.asdict(settings)
    for name, value in values.items():
        if isinstance(value, Path):
            values[name] = str(value)
        elif isinstance(value, tuple):
            values[name] = list(value)
    return values


def from_plain(kind: type[T], values: Plain) -> T:
    """The inverse of `to_plain`; a field that is not among the values has its default.

    Raises TypeError for a name that the dataclass does not have, and for a value of another type.
    """
    if not isinstance(values, dict):
        raise TypeError("expected an object of settings")
    types = get_type_hints(kind)
    for name, value in values.items():
        if name not in types:
            near = get_close_matches(name, types, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"unknown setting {name!r}{meant}")
        if types[name] in (int, float) and not isinstance(value, int | float):
            raise TypeError(f"{name} is {value!r}, not a number")
    paths = {n for n, hint in types.items() if Path in (hint, *get_args(hint))}
    given = {n: tuple(v) if isinstance(v, list) else v for n, v in values.items()}
    return kind(
        **{n: Path(str(v)) if n in paths and v is not None else v for n, v in given.items()}
    )
