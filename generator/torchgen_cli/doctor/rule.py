"""What a rule is, and how one is registered."""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .project import Module

GROUPS = (
    "files",
    "randomness",
    "data",
    "model",
    "step",
    "evaluation",
    "checkpoint",
    "distributed",
    "deprecated",
    "promises",
)


class Severity(StrEnum):
    """How certain and how bad; hints are shown on request only, and do not fail the check."""

    ERROR = "error"  # the numbers, or the run, are wrong
    WARNING = "warning"  # works by luck, or only for now
    HINT = "hint"  # costs time or clarity


class Spot(NamedTuple):
    """Where a rule is broken, and details of this place."""

    node: ast.AST
    detail: str = ""
    unsure: bool = False
    """Whether this place is a matter of taste or of doubt, and so a hint."""


def as_spot(found: ast.AST | Spot) -> Spot:
    """What a check found, with details or without."""
    return found if isinstance(found, Spot) else Spot(found)


Check = Callable[[Module], Iterable[ast.AST | Spot]]


@dataclass(frozen=True)
class Rule:
    """One rule with its documentation; the examples are its tests."""

    id: str
    title: str
    """What is wrong, in a few words."""
    why: str
    remedy: str
    source: str
    """A paper, a page of the docs, or an issue."""
    bad: str
    """Code that breaks the rule on each line that ends in `MARK`."""
    good: str
    severity: Severity
    in_tests: bool
    """Whether it is meant for test files too."""
    once: bool
    """Whether one place is shown for all of the same kind; `--hints` shows each."""
    outside: bool
    """Whether it is noticed where files and comments are read, and not by a check."""
    check: Check

    @property
    def group(self) -> str:
        return GROUPS[int(self.id[2])]


MARK = "# <--"
STABLE = "https://docs.pytorch.org/docs/stable"
registered: dict[str, Rule] = {}


def rule(
    id: str,
    title: str,
    *,
    why: str,
    remedy: str,
    source: str,
    bad: str,
    good: str,
    severity: Severity = Severity.ERROR,
    in_tests: bool = False,
    once: bool = False,
) -> Callable[[Check], Check]:
    """Make the decorated check a rule."""

    def add(check: Check) -> Check:
        if id in registered:
            raise ValueError(f"two rules are called {id}")
        registered[id] = Rule(
            id=id,
            title=title,
            why=one_line(why),
            remedy=one_line(remedy),
            source=source,
            bad=bad.strip("\n") + "\n" if bad else "",
            good=good.strip("\n") + "\n" if good else "",
            severity=severity,
            in_tests=in_tests,
            once=once,
            outside=not bad or id in ("TG001", "TG002", "TG003"),
            check=check,
        )
        return check

    return add


def one_line(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())
