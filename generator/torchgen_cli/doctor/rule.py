"""What a rule is, and how a check becomes one: its docstring is its page and its test."""

import ast
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from .file import File

GROUPS = {
    "1": "Randomness",
    "2": "Data",
    "3": "Model, loss and flags",
    "4": "Training step",
    "5": "Evaluation",
    "6": "Checkpoints",
    "8": "Removed names",
    "9": "Runs",
}
MARK = "# <--"


class Severity(StrEnum):
    ERROR = "error"  # the numbers, or the run, are wrong
    WARNING = "warning"  # works by luck, or only for now


Node = ast.expr | ast.stmt | ast.excepthandler
Place = Node | tuple[Node, str]
"""Where a rule is broken, perhaps with a word about this place."""
Check = Callable[[File], Iterable[Place]]


@dataclass(frozen=True)
class Rule:
    """A rule with its page. Without a check it is for `--run`, which observes it."""

    id: str
    severity: Severity
    title: str
    why: str
    remedy: str
    source: str
    example: str
    """A diff: lines with `-` are bad, lines with `+` good, all others both."""
    check: Check | None

    @property
    def group(self) -> str:
        return GROUPS[self.id[2]]

    def bad(self) -> str:
        """The code that breaks the rule."""
        return self._side("-")

    def good(self) -> str:
        """The code after the remedy."""
        return self._side("+")

    def _side(self, sign: str) -> str:
        lines = self.example.splitlines()
        return "".join(f"{line[2:]}\n" for line in lines if line[:1] in ("", " ", sign))

    def places(self) -> set[int]:
        """The lines of `bad` that are reported: those marked `# <--`, or else those with `-`."""
        kept = [line for line in self.example.splitlines() if line[:1] != "+"]
        marked = {number for number, line in enumerate(kept, 1) if line.endswith(MARK)}
        return marked or {number for number, line in enumerate(kept, 1) if line[:1] == "-"}


registered: dict[str, Rule] = {}


def add(id: str, severity: Severity, page: str | None, check: Check | None = None) -> None:
    """Register a rule by its page: a title, why, `Remedy:`, `Source:` and an example."""
    if id in registered:
        raise ValueError(f"two rules are called {id}")
    head, _, rest = inspect.cleandoc(page or "").partition("\nRemedy: ")
    title, _, why = head.partition("\n\n")
    about, _, example = rest.partition("\n\n")
    remedy, _, source = about.partition("\nSource: ")
    title, why, remedy = (" ".join(text.split()) for text in (title, why, remedy))
    registered[id] = Rule(
        id, severity, title.removesuffix("."), why, remedy.removesuffix("."), source, example, check
    )


def rule(id: str, severity: Severity = Severity.ERROR) -> Callable[[Check], Check]:
    """Make the decorated check a rule; its docstring is its page."""

    def decorate(check: Check) -> Check:
        add(id, severity, check.__doc__, check)
        return check

    return decorate
