"""What a rule is, and the list of all of them."""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .module import Module

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
    """How sure and how bad; hints are shown on request only and fail nothing."""

    ERROR = "error"  # the numbers, or the run, are wrong
    WARNING = "warning"  # works by luck, or only for now
    HINT = "hint"  # costs time or clarity


class Spot(NamedTuple):
    """Where a rule is broken, and what is special about this place."""

    node: ast.AST
    detail: str = ""


Check = Callable[["Module"], Iterable[ast.AST | Spot]]


@dataclass(frozen=True)
class Rule:
    """One rule with its page: the examples are its tests."""

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
    check: Check

    @property
    def group(self) -> str:
        return GROUPS[int(self.id[2])]


MARK = "# <--"
STABLE = "https://docs.pytorch.org/docs/stable"
_found: dict[str, Rule] = {}


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
) -> Callable[[Check], Check]:
    """Make the decorated check a rule."""

    def add(check: Check) -> Check:
        if id in _found:
            raise ValueError(f"two rules are called {id}")
        _found[id] = Rule(
            id=id,
            title=title,
            why=one_line(why),
            remedy=one_line(remedy),
            source=source,
            bad=bad.strip("\n") + "\n" if bad else "",
            good=good.strip("\n") + "\n" if good else "",
            severity=severity,
            in_tests=in_tests,
            check=check,
        )
        return check

    return add


def one_line(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its id, in order."""
    for module in iter_modules([str(Path(__file__).parent / "rules")]):
        import_module(f"{__package__}.rules.{module.name}")
    return dict(sorted(_found.items()))
