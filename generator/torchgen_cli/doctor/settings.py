"""Which rules are checked where: pyproject.toml, and comments beside the code."""

import re
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from ..base.errors import UserError, nearest
from .checks import all_rules

TABLE = "[tool.torchgen.doctor]"
KNOWN = ("exclude", "ignore", "per-path-ignores", "select")
COMMENT = re.compile(r"#\s*torchgen:\s*ignore\[([^\]]*)\]([^#\n]*)")


@dataclass
class Settings:
    """The table of a pyproject.toml."""

    select: tuple[str, ...] = ()
    """Ids or the beginnings of ids: "TG4" is all rules on the step. Empty: every rule."""
    exclude: tuple[str, ...] = ()
    ignore: dict[str, set[str]] = field(default_factory=dict)
    """By a pattern of paths. The reasons are only asked for."""

    def excludes(self, name: str) -> bool:
        """Whether a file is not read."""
        return any(matches(name, pattern) for pattern in self.exclude)

    def ignores(self, name: str, rule: str) -> bool:
        """Whether a rule is ignored in a file."""
        return any(rule in ids and matches(name, one) for one, ids in self.ignore.items())


def matches(name: str, pattern: str) -> bool:
    """Whether a pattern means a file or a folder around it, by its path or by its name."""
    parts, pattern = name.split("/"), pattern.rstrip("/")
    paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    return any(fnmatch(one, pattern) for one in (paths if "/" in pattern else paths + parts))


def read_settings(root: Path) -> Settings:
    """The settings in a folder's pyproject.toml; raises `UserError` for what is wrong there."""
    file = root / "pyproject.toml"
    if not file.is_file():
        return Settings()
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}", 2) from error
    table = content.get("tool", {}).get("torchgen", {}).get("doctor", {})
    for name in table:
        if name not in KNOWN:
            raise UserError(f"{file}: {TABLE} has no setting {name}{nearest(name, KNOWN)}", 2)
    for name in ("select", "exclude"):
        value = table.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise UserError(f'{file}: {TABLE} takes {name} = ["...", "..."]', 2)
    paths = table.get("per-path-ignores", {})
    if not isinstance(paths, dict):
        raise UserError(f'{file}: {TABLE} takes per-path-ignores = {{ "old/*" = {{ ... }} }}', 2)
    ignored = {"*": table.get("ignore", {}), **paths}
    for pattern, reasons in ignored.items():
        name = "ignore" if pattern == "*" else pattern
        if not isinstance(reasons, dict):
            raise UserError(f'{file}: {TABLE} takes {name} = {{ TG602 = "the reason" }}', 2)
        for id, reason in reasons.items():
            known(id, str(file))
            if not isinstance(reason, str) or not reason.strip():
                raise UserError(f"{file}: {TABLE} ignores {id} without a reason; add one", 2)
    select = tuple(known(id, str(file), start=True) for id in table.get("select", []))
    ignore = {pattern: set(reasons) for pattern, reasons in ignored.items()}
    return Settings(select, tuple(table.get("exclude", [])), ignore)


def known(id: str, where: str, start: bool = False) -> str:
    """The id of a rule, or the start of some; raises `UserError` for any other."""
    rules = all_rules()
    if id not in rules and not (start and any(one.startswith(id) for one in rules)):
        raise UserError(f"{where}: no rule is called {id!r}{nearest(id.upper(), rules)}", 2)
    return id


def in_comment(line: str) -> tuple[set[str], str]:
    """The rules that `# torchgen: ignore[TG602] reason` ignores; or what is wrong with it."""
    found = COMMENT.search(line)
    ids = {one.strip() for one in found[1].split(",")} if found else set()
    if unknown := sorted(ids - all_rules().keys()):
        return set(), f"no rule is called {unknown[0]!r}"
    if found and not found[2].strip():
        return set(), "an ignore needs a reason after the ]"
    return ids, ""
