"""Rules that a comment ignores on its line, with a reason."""

import io
import re
import tokenize
from dataclasses import dataclass, field

from .rules import all_rules

COMMENT = re.compile(r"#\s*torchgen:\s*ignore\[([^\]]*)\](.*)")


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
