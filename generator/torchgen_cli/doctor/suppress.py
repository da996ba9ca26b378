"""Rules that are ignored: on a line, or in pyproject.toml for the project; with a reason."""

import io
import re
import tokenize
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from ..base.errors import UserError, nearest
from .rules import all_rules

COMMENT = re.compile(r"#\s*torchgen:\s*ignore\[([^\]]*)\](.*)")
TABLE = "[tool.torchgen.doctor]"


@dataclass
class Lines:
    """The rules that the comments of one file ignore."""

    rules: dict[int, set[str]] = field(default_factory=dict)
    """The ids by the line of the comment."""
    refused: list[tuple[int, str]] = field(default_factory=list)
    """Invalid comments: the line, and why."""


def in_file(content: bytes) -> Lines:
    """Read the comments `# torchgen: ignore[TG601] reason` of a file that parses."""
    lines = Lines()
    if b"torchgen:" not in content:
        return lines
    for token in tokenize.tokenize(io.BytesIO(content).readline):
        found = COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if found is None:
            continue
        line, ids = token.start[0], {one.strip() for one in found[1].split(",")}
        unknown = sorted(ids - all_rules().keys())
        reason = found[2].partition("#")[0]  # a further comment is no reason
        if unknown:
            lines.refused.append((line, f"no rule is called {unknown[0] or 'nothing'}"))
        elif not reason.strip():
            lines.refused.append((line, "no reason is given"))
        else:
            lines.rules[line] = ids
    return lines


def in_pyproject(root: Path) -> dict[str, str]:
    """The rules that the project's pyproject.toml, or one in a parent folder, ignores, and why.

    Raises `UserError` if it cannot be read, an id is unknown, or a reason is missing.
    """
    file = _pyproject(root.resolve())
    if file is None:
        return {}
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}") from error
    table = content.get("tool", {}).get("torchgen", {}).get("doctor", {})
    strange = sorted(table.keys() - {"ignore"})
    if strange:
        raise UserError(f"{file}: {TABLE} has no setting {strange[0]}, only ignore")
    ignored = table.get("ignore", {})
    if not isinstance(ignored, dict):
        raise UserError(f'{file}: {TABLE} takes ignore = {{ TG601 = "the reason" }}')
    for id, reason in ignored.items():
        if id not in all_rules():
            raise UserError(f"{file}: no rule is called {id!r}{nearest(id.upper(), all_rules())}")
        if not isinstance(reason, str) or not reason.strip():
            raise UserError(f"{file}: {TABLE} ignores {id} without a reason; add one")
    return ignored


def _pyproject(folder: Path) -> Path | None:
    """The pyproject.toml of a folder, or of its parents up to the repository's top."""
    for place in (folder, *folder.parents):
        if (place / "pyproject.toml").is_file():
            return place / "pyproject.toml"
        if (place / ".git").exists():
            break
    return None
