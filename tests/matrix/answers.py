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
    """Each question that is asked, and its choices: what the matrix is made of.

    Several choices of the extras may be made at a time, so they are no part of the product.
    """
    return {
        name: list(question["choices"].values())
        for name, question in with_choices().items()
        if "when" not in question and not question.get("multiselect")
    }


def extras() -> list[str]:
    """The names of all extras that the template has a folder for."""
    package = ROOT / "template" / "{{package_name}}"
    names = with_choices()["extras"]["choices"].values()
    return [name for name in names if (package / folder_of(name)).is_dir()]


def folder_of(extra: str) -> str:
    """The folder of an extra, in the package and in the tests."""
    return extra.replace("-", "_")


def needs(extra: str) -> list[str]:
    """The extras that one brings along."""
    content = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    found: list[str] = content["extras_needs"]["default"].get(extra, [])
    return found


def with_extras(answers: Answers, *extras: str) -> Answers:
    """A set with these extras and what they need; without this a set has none."""
    chosen = {*extras, *(needed for extra in extras for needed in needs(extra))}
    return answers | {"extras": "+".join(extra for extra in EXTRAS if extra in chosen)}


def extras_of(answers: Answers) -> list[str]:
    """The extras of a set."""
    return answers.get("extras", "").split("+") if answers.get("extras") else []


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


def made(answers: Answers, question: str) -> set[str]:
    """The choices that a set makes of a question; of the extras there may be several."""
    if question == "extras":
        return set(extras_of(answers))
    return {answers.get(question) or UNASKED[question]}


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


EXTRAS = extras()
SETS = every_set()
UNASKED = {name: choices[0] for name, choices in unasked().items()}
COVER = covering(SETS, lambda answers: together(answers, 2))  # each two choices meet
EACH = covering(SETS, lambda answers: together(answers, 1))  # each choice occurs
# those two meet that change a run: the number of processes with the precision and the format
SMOKE = covering(
    SETS,
    lambda answers: (
        together(answers, 1)
        | {(answers["parallelism"], answers[name]) for name in ("amp", "data_format")}
    ),
)
# one of each parallelism: for what depends on nothing else
PAIR = [next(a for a in EACH if a["parallelism"] == one) for one in questions()["parallelism"]]
# each extra alone, each two together; all of them with each parallelism
TOGETHER = [
    *((extra,) for extra in EXTRAS),
    *itertools.combinations(EXTRAS, 2),
]
EXTRA_SETS = [
    *{name_of(a): a for a in (with_extras(SETS[0], *extras) for extras in TOGETHER)}.values(),
    *(with_extras(answers, *EXTRAS) for answers in PAIR),
]
