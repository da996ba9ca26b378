"""What a project's pyproject.toml says to the doctor: which rules, and where."""

import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ..base.errors import UserError, nearest
from .rules import all_rules

TABLE = "[tool.torchgen.doctor]"
KNOWN = ("exclude", "ignore", "per-path-ignores", "select")


@dataclass
class Settings:
    """Which rules are checked in which files; reasons are only asked for, and not kept."""

    root: Path
    """The folder that patterns are relative to."""
    ignore: set[str] = field(default_factory=set)
    select: tuple[str, ...] = ()
    """Ids or the beginnings of ids: "TG4" is all rules on the step. Empty: every rule."""
    exclude: tuple[str, ...] = ()
    per_path: dict[str, set[str]] = field(default_factory=dict)

    def checks(self, rule: str) -> bool:
        """Whether a rule is checked at all."""
        return (not self.select or rule.startswith(self.select)) and rule not in self.ignore

    def excludes(self, file: Path) -> bool:
        """Whether a file is left out."""
        return any(self._matches(file, pattern) for pattern in self.exclude)

    def ignores(self, file: Path, rule: str) -> bool:
        """Whether a rule is ignored in this file."""
        return any(
            rule in rules and self._matches(file, pattern)
            for pattern, rules in self.per_path.items()
        )

    def _matches(self, file: Path, pattern: str) -> bool:
        """Whether a pattern means a file, or a folder around it, by its path or by its name."""
        try:
            path = file.resolve().relative_to(self.root)
        except ValueError:
            return False
        places = [place for place in (path, *path.parents) if place.name]
        pattern = pattern.rstrip("/")
        return any(
            fnmatch(place.as_posix(), pattern)
            or ("/" not in pattern and fnmatch(place.name, pattern))
            for place in places
        )


def read_settings(folder: Path) -> Settings:
    """The settings of the pyproject.toml in a folder, or in a parent within the repository.

    Raises `UserError` if it cannot be read, a name is unknown, or a reason is missing.
    """
    file = _pyproject(folder.resolve())
    if file is None:
        return Settings(folder.resolve())
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}", 2) from error
    table = content.get("tool", {}).get("torchgen", {}).get("doctor", {})
    for name in table:
        if name not in KNOWN:
            raise UserError(f"{file}: {TABLE} has no setting {name}{nearest(name, KNOWN)}", 2)
    paths = table.get("per-path-ignores", {})
    if not isinstance(paths, dict):
        raise UserError(f'{file}: {TABLE} takes per-path-ignores = {{ "old/*" = {{ ... }} }}', 2)
    return Settings(
        file.parent,
        _ignored(file, "ignore", table.get("ignore", {})),
        selected(_texts(file, "select", table.get("select", [])), str(file)),
        _texts(file, "exclude", table.get("exclude", [])),
        {pattern: _ignored(file, pattern, rules) for pattern, rules in paths.items()},
    )


def selected(ids: tuple[str, ...], where: str) -> tuple[str, ...]:
    """The ids or beginnings of ids, of which each must mean a rule; raises `UserError`."""
    for id in ids:
        if not any(rule.startswith(id) for rule in all_rules()):
            raise UserError(f"{where}: no rule is called {id!r}{nearest(id, all_rules())}", 2)
    return ids


def _texts(file: Path, name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise UserError(f'{file}: {TABLE} takes {name} = ["...", "..."]', 2)
    return tuple(value)


def _ignored(file: Path, name: str, ignored: Any) -> set[str]:
    """The rules of a table of ids and reasons."""
    if not isinstance(ignored, dict):
        raise UserError(f'{file}: {TABLE} takes {name} = {{ TG601 = "the reason" }}', 2)
    for id, reason in ignored.items():
        if id not in all_rules():
            near = nearest(id.upper(), all_rules())
            raise UserError(f"{file}: no rule is called {id!r}{near}", 2)
        if not isinstance(reason, str) or not reason.strip():
            raise UserError(f"{file}: {TABLE} ignores {id} without a reason; add one", 2)
    return set(ignored)


def top_of(folder: Path) -> Path:
    """The repository or project around a folder: what holds .git or pyproject.toml; or itself."""
    file = _pyproject(folder)
    if file is not None:
        return file.parent
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def _pyproject(folder: Path) -> Path | None:
    """The pyproject.toml of a folder, or of its parents up to the repository's top."""
    for place in (folder, *folder.parents):
        if (place / "pyproject.toml").is_file():
            return place / "pyproject.toml"
        if (place / ".git").exists():
            break
    return None
