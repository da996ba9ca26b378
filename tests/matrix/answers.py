"""The sets of answers, derived from `copier.yml`: a new choice joins the matrix by itself."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import yaml

ROOT = Path(__file__).resolve().parents[2]

Answers = dict[str, str]
T = TypeVar("T")


def with_choices() -> dict[str, dict[str, Any]]:
    """Each question with choices, as copier.yml has it; free text and computed values are left out.

    A condition says that a question is not asked: its choices add to any project, and a few
    renderings of their own try them.
    """
    content: dict[str, Any] = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    return {
        name: question
        for name, question in content.items()
        if not name.startswith("_") and "choices" in question
    }


def questions() -> dict[str, list[str]]:
    """Each question that is asked, and its choices: what the matrix is made of."""
    return {n: list(q["choices"].values()) for n, q in with_choices().items() if "when" not in q}


def unasked() -> dict[str, list[str]]:
    """The other questions with choices, the default first."""
    return {n: list(q["choices"].values()) for n, q in with_choices().items() if "when" in q}


def every_set() -> list[Answers]:
    """The product of all choices."""
    asked = questions()
    return [dict(zip(asked, chosen, strict=True)) for chosen in itertools.product(*asked.values())]


def name_of(answers: Answers) -> str:
    """A name for folders and test ids, as `ddp-bf16-lmdb-none`."""
    return "-".join(answers.values())


def together(answers: Answers, count: int) -> set[tuple[tuple[str, str], ...]]:
    """Each `count` answers that the set brings together."""
    return set(itertools.combinations(answers.items(), count))


def covering(sets: list[T], parts: Callable[[T], set[Any]]) -> list[T]:
    """Few sets that have all parts which any set has: greedily the one that adds the most."""
    missing: set[Any] = set().union(*map(parts, sets))
    chosen = []
    while missing:
        best = max(sets, key=lambda one: len(parts(one) & missing))
        missing -= parts(best)
        chosen.append(best)
    return chosen


SETS = every_set()
UNASKED = {name: choices[0] for name, choices in unasked().items()}
COVER = covering(SETS, lambda answers: together(answers, 2))  # each two choices meet
EACH = covering(SETS, lambda answers: together(answers, 1))  # each choice occurs
# each choice occurs, and those two meet that change the steps of a run
STEPS = covering(
    SETS,
    lambda answers: together(answers, 1) | {(answers["parallelism"], answers["amp"])},
)
# one of each parallelism: for what depends on nothing else
PAIR = [next(a for a in EACH if a["parallelism"] == one) for one in questions()["parallelism"]]
