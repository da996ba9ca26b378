"""What the doctor found, and where."""

from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Finding:
    """A rule that is broken at a place in a file."""

    file: str
    line: int
    column: int
    rule: str
    detail: str = ""
    cell: int | None = None
    """Of a notebook, from 1; the line is then the one within the cell."""


@dataclass
class Result:
    """The result of an examination."""

    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    ignored: int = 0
    """Findings that comments or settings switch off."""
    notes: list[str] = field(default_factory=list)
    """Further lines, such as the files that do not parse."""
