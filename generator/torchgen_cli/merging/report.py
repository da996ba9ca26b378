"""The report of `update` and `set`, as text and as JSON."""

import json
import shlex
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..base.output import answer_in_words
from ..template.numbers import Numbers
from .health import Health
from .merge import Change


@dataclass
class Report:
    """Filled step by step; printed before and after the changes."""

    path: Path
    source: str
    old: str
    """The template's version before."""
    new: str
    answers: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Each changed answer: before (None for a new question) and after."""
    changelog: dict[str, list[str]] = field(default_factory=dict)
    numbers: Numbers | None = None
    """Whether the newer version changes a run's numbers; None for the same version."""
    changes: list[Change] = field(default_factory=list)
    health: Health = field(default_factory=lambda: Health([], None, ""))
    notes: list[str] = field(default_factory=list)
    next: list[str] = field(default_factory=list)
    """The commands that the changed answers call for, each with why."""
    dry_run: bool = False
    done: str = ""
    """Why nothing was changed; empty otherwise."""

    @property
    def conflicts(self) -> list[Change]:
        return [change for change in self.changes if change.kind == "conflict"]

    @property
    def exit_code(self) -> int:
        return 3 if self.conflicts else 0

    def to_json(self) -> str:
        return json.dumps(
            {
                "path": str(self.path),
                "template": {"source": self.source, "old": self.old, "new": self.new},
                "answers": {k: {"old": a, "new": b} for k, (a, b) in self.answers.items()},
                "changelog": self.changelog,
                "numbers": asdict(self.numbers) if self.numbers else None,
                "files": [asdict(change) for change in self.changes],
                "conflicts": [change.path for change in self.conflicts],
                "check": {**asdict(self.health), "compiles": not self.health.errors},
                "notes": self.notes,
                "next": self.next,
                "dry_run": self.dry_run,
                "up_to_date": not self.changes,
                "message": self.done,
            }
        )

    def before(self) -> str:
        """The text printed before the changes."""
        lines = [f"template  {self.old} -> {self.new}"] if self.old != self.new else []
        for name, (old, new) in self.answers.items():
            before = "(new question)" if old is None else answer_in_words(old)
            lines.append(f"{name}  {before} -> {answer_in_words(new)}")
        for title, entries in self.changelog.items():
            lines += ["", title, *(f"  - {entry}" for entry in entries)]
        if self.numbers:
            lines += ["", str(self.numbers)]
        return "\n".join(lines)

    def after(self) -> str:
        """The text printed after the changes."""
        if self.done:
            return self.done
        lines = [f"{change.kind:<8}  {change.path}" for change in self.changes]
        counts = Counter(change.kind for change in self.changes)
        counted = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        lines += ["", f"{counted}{'; nothing was written' if self.dry_run else ''}"]
        explained = [change for change in self.changes if change.remedy]
        if explained:
            lines += ["", *(f"{c.kind} {c.path}: {c.remedy}" for c in explained)]
        lines += ["", *self._health(), *(f"note: {note}" for note in self.notes)]
        if not self.dry_run:
            lines += [*self._next()]
        return "\n".join(lines)

    def _health(self) -> list[str]:
        errors = [f"does not compile: {error}" for error in self.health.errors]
        lines = errors or ["The changed files compile."]
        if self.health.tests is not None:
            lines.append(f"pytest collects {self.health.tests} tests.")
        elif self.health.note:
            lines.append(f"note: {self.health.note}")
        return lines

    def _next(self) -> list[str]:
        here = self.path == Path.cwd()
        at = "" if here else f" -C {shlex.quote(str(self.path))}"
        undo = f"git{at} checkout HEAD -- . && git{at} clean -fd ."
        asked = ["", "For the changed answers:", *(f"  {line}" for line in self.next)]
        return [
            *(asked if self.next else []),
            "",
            "Nothing is committed. Review it, run the tests and commit; or undo all of it:",
            f"  {undo}",
        ]
