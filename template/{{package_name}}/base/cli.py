"""What every command does around its work: parse flags, print errors in one line, exit."""

import argparse
import dataclasses
import io
import json
import os
import re
import sys
import time
import tomllib
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_type_hints

import tyro

from . import distributed
from .errors import FlagError, UserError

T = TypeVar("T")
OWN = ("run_dir", "resume", "device", "config")  # settings in config.json that are that run's alone


@dataclass(frozen=True)
class Settings:
    """The base of each group of flags: a group checks its own values, then the next group's."""

    def __post_init__(self) -> None:
        """Raise FlagError for a value that is out of bounds."""


def require(settings: Any, name: str, holds: Any, bounds: str) -> None:
    """Raise FlagError naming the flag unless its value is within these bounds."""
    if not holds:
        flag = f"--{name.replace('_', '-')}"
        raise FlagError(f"{flag} must be {bounds}, not {getattr(settings, name)}")


def parse_interval(text: str) -> tuple[int, float]:
    """Turn "500" into (500 steps, 0 seconds) and "10m" into (0 steps, 600 seconds)."""
    found = re.fullmatch(r"(\d+)|(\d+\.?\d*)([smh])", text)
    steps, number, unit = found.groups(default="0") if found else "000"
    interval = int(steps), float(number) * {"s": 1, "m": 60, "h": 3600}.get(unit, 0)
    if not any(interval):
        raise FlagError(f"--checkpoint-every must be like 500, 30s, 10m or 2h, not {text}")
    return interval


def parse(config_type: type[T], file: Path | None = None) -> T:
    """Read the flags. They override those of `--config FILE`, which override those of `file`."""
    given, names = sys.argv[1:], {field.name for field in dataclasses.fields(config_type)}  # type: ignore[arg-type]
    for name, equals, value in (word.partition("=") for word in given):
        if equals and name.replace("-", "_") in names:
            raise FlagError(f"{name}={value} is not a flag; did you mean --{name} {value}?")
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--config", type=Path)
    named = finder.parse_known_args(given)[0].config if "config" in names else None
    from_file = [flag for path in (file, named) if path for flag in read_flags(path, names)]
    spec = sys.modules["__main__"].__spec__
    program = f"python -m {spec.name.removesuffix('.__main__')}" if spec else None
    main = distributed.RANK == 0  # which speaks for all
    try:
        with redirect_stderr(sys.stderr if main else io.StringIO()):
            return tyro.cli(config_type, args=from_file + given, prog=program, console_outputs=main)
    except (SystemExit, FlagError) as error:
        if not main:
            time.sleep(5)  # torchrun ends all ranks with the first
        elif from_file and getattr(error, "code", None):
            print(f"with {named or file}: {' '.join(from_file)}", file=sys.stderr)
        raise


def read_flags(file: Path, names: set[str]) -> list[str]:
    """The flags that the settings in a TOML file, or in the config.json of a run, stand for."""
    try:
        text = file.read_text(encoding="utf-8")
        settings = dict(json.loads(text) if file.suffix == ".json" else tomllib.loads(text))
    except (OSError, ValueError, TypeError) as error:
        raise FlagError(f"{file} cannot be read: {error}") from error
    flags: list[str] = []
    for name, value in settings.items():
        known, flag = name.replace("-", "_") in names, f"--{name.replace('_', '-')}"
        if file.suffix == ".json" and (not known or name in OWN):
            continue
        if not known:
            hint = "".join(f"; did you mean {near}?" for near in get_close_matches(name, names, 1))
            raise FlagError(f"{file}: there is no setting {name}{hint}")
        if isinstance(value, bool):
            flags.append(flag if value else flag.replace("--", "--no-", 1))
        elif isinstance(value, list):
            flags += [flag, *map(str, value)]
        elif value is not None:
            flags.append(f"{flag}={value}")
    return flags


def to_dict(config: Any) -> dict[str, Any]:
    """The fields as JSON and checkpoints store them."""
    return json.loads(json.dumps(dataclasses.asdict(config), default=str))


def from_dict(config_type: type[T], values: dict[str, Any]) -> T:
    """The inverse of `to_dict`; a missing field gets its default, an unknown one is ignored."""
    hints = {name: str(hint) for name, hint in get_type_hints(config_type).items()}
    known = {name: value for name, value in values.items() if name in hints}
    for name, value in known.items():
        if value is not None and "Path" in hints[name]:
            known[name] = Path(value)
        elif "tuple" in hints[name]:
            known[name] = tuple(value)
    return config_type(**known)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Call `main` and exit with what it returns; what the user can fix is printed as one line."""
    # a closed stream takes nothing; characters that a terminal lacks are escaped
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main() or 0
        print(end="", flush=True)
    except UserError as error:
        distributed.fail(f"error: {error}", error.exit_code)
    except BrokenPipeError:  # nobody reads the rest, as after `--help | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 0
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        if not (line := explain(error)):
            raise  # a bug
        distributed.fail(f"error: {line}", 1)
    sys.exit(code)


def explain(error: Exception) -> str:
    """What the system did to this process, in one line; empty if the code is wrong."""
    text = str(error)
    if isinstance(error, OSError):  # such as a full disk
        return f"{error.filename}: {error.strerror}" if error.filename else text
    if "DataLoader worker (pid" in text:
        return f"{text.splitlines()[0]} It may have run out of memory: try fewer --num-workers"
    if "more than 1 value per channel" in text:  # of a batch norm
        return "batch norm needs more than one value per channel: give a larger --batch-size"
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return "out of memory: try a smaller --batch-size, or more --accumulate"
    return ""
