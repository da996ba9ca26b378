"""Settings as flags: one for each field, grouped in --help by the class that holds it.

A file of settings stands for the flags that it names.
"""

import ast
import inspect
import json
import textwrap
from collections.abc import Sequence
from dataclasses import MISSING, field, fields, is_dataclass, make_dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import tyro

from .values import Plain

# what a run's config.json says of that run alone, and not of the next one
OF_ONE_RUN = ("run_dir", "resume", "device", "config")


def read(config_type: Any, arguments: Sequence[str], program: str | None, default: Any) -> Plain:
    """The value of each setting: that of its flag, else that of `default`, else the field's own.

    Exits as tyro does for a wrong value.
    """
    view = view_of(config_type, default, describe=bool({"-h", "--help"} & {*arguments}))
    found = tyro.cli(view, args=arguments, prog=program)
    return flat(found)


def view_of(config_type: Any, default: Any, *, describe: bool = True) -> Any:
    """The flags as tyro takes them: the settings of each base class are a group of their own.

    `describe` is for --help alone: it takes longer than everything else.
    """
    text = tyro.conf.arg(help=None if describe else "")
    groups = [
        (base.__name__, Annotated[part, tyro.conf.OmitArgPrefixes, text], field())
        for base in config_type.__mro__[1:-1]  # the last one is object
        if (part := part_of(config_type, base, default, describe=describe))
    ]
    own = part_of(config_type, config_type, default, describe=describe)
    rows = [] if own is None else [(f.name, own.__annotations__[f.name], f) for f in fields(own)]
    view = make_dataclass(config_type.__name__, [*rows, *groups], kw_only=True)
    view.__doc__ = config_type.__doc__
    return view


def part_of(config_type: Any, kind: Any, default: Any, *, describe: bool = True) -> Any:
    """A dataclass of the settings that one class holds; None where it holds none.

    A setting that several classes define is that of the one nearest to the type of the settings.
    """
    hints, rows = get_type_hints(config_type, include_extras=True), []
    own = [each for each in fields(config_type) if holder_of(config_type, each.name) is kind]
    if not own:
        return None
    # what has to be given is described in the message that it is missing, too
    required = default is None and any(each.default is MISSING for each in own)
    docs = described(kind) if describe or required else {}
    for each in own:
        value = each.default if default is None else getattr(default, each.name)
        told = tyro.conf.arg(help=docs.get(each.name, ""))
        hint = Annotated[hints[each.name], told]  # type: ignore[name-defined, valid-type]
        rows.append((each.name, hint, field() if value is MISSING else field(default=value)))
    part = make_dataclass(kind.__name__, rows)
    part.__doc__ = kind.__doc__
    return part


def holder_of(config_type: Any, name: str) -> Any:
    """The class whose definition of a setting counts."""
    return next(kind for kind in config_type.__mro__ if name in inspect.get_annotations(kind))


def described(kind: Any) -> dict[str, str]:
    """The text below each field of a class."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    return {
        named.target.id: " ".join(text.value.value.split())
        for named, text in pairwise(definition.body)
        if isinstance(named, ast.AnnAssign)
        and isinstance(named.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def flat(view: Any) -> Plain:
    """The settings of a view without its groups."""
    found: Plain = {}
    for each in fields(view):
        value = getattr(view, each.name)
        found |= flat(value) if is_dataclass(value) else {each.name: value}
    return found


def unknown(config_type: Any, arguments: Sequence[str]) -> str:
    """What is wrong with the first flag that there is none of; "" where all are known."""
    names = [each.name.replace("_", "-") for each in fields(config_type)]
    known = {"--help", *(f"--{name}" for name in names), *(f"--no-{name}" for name in names)}
    for word in arguments:
        flag = word.partition("=")[0].replace("_", "-")
        if flag.startswith("--") and flag not in known and not flag.startswith("--tyro-"):
            near = get_close_matches(flag, sorted(known), 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            return f"unknown flag {flag}{meant}"
    return ""


def file_in(arguments: Sequence[str]) -> Path | None:
    """The file that --config names last."""
    found = None
    for word, following in pairwise([*arguments, ""]):
        flag, given, value = word.partition("=")
        if flag == "--config":
            found = value if given else following
    return Path(found) if found else None


def of_file(path: Path) -> list[str]:
    """The flags that a file stands for: TOML, YAML, or a run's config.json.

    Raises ValueError where it cannot be read, or is no flat table of settings.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            settings = json.loads(text)
        elif path.suffix in (".yaml", ".yml"):
            import yaml  # only for such a file, so an extra of this project

            settings = yaml.safe_load(text)
        else:
            import tomllib

            settings = tomllib.loads(text)
    except OSError as error:
        raise ValueError(f"--config {path} cannot be read: {error.strerror}") from error
    except ImportError as error:
        raise ValueError(f"--config {path} needs PyYAML: pip install pyyaml") from error
    except Exception as error:  # each format has its own
        raise ValueError(f"--config {path} is not valid: {' '.join(str(error).split())}") from error
    if not isinstance(settings, dict):
        raise ValueError(f"--config {path} holds no settings: it should be a table of names")
    arguments: list[str] = []
    for name, value in settings.items():
        if isinstance(value, dict):
            raise ValueError(f"--config {path}: {name} is a table; settings have no sections")
        if name not in OF_ONE_RUN or path.suffix != ".json":
            arguments += as_flag(str(name).replace("_", "-"), value)
    return arguments


def as_flag(name: str, value: Any) -> list[str]:
    """A setting as words of a command line; one that is nothing has none."""
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, list | tuple):
        return [f"--{name}", *map(str, value)]
    return [] if value is None else [f"--{name}", str(value)]
