"""The sets of answers, derived from `copier.yml`: a new choice joins the matrix by itself."""

import itertools
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]

Answers = dict[str, str]


def questions() -> dict[str, list[str]]:
    """Each question with choices, and its choices; free text and computed values are left out."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    found = {}
    for name, question in content.items():
        if name.startswith("_") or question.get("when") is False or "choices" not in question:
            continue
        choices = question["choices"]
        found[name] = list(choices.values() if isinstance(choices, dict) else choices)
    return found


def every_set() -> list[Answers]:
    """The product of all choices."""
    asked = questions()
    return [dict(zip(asked, chosen, strict=True)) for chosen in itertools.product(*asked.values())]


def name_of(answers: Answers) -> str:
    """A name for folders and test ids, as `ddp-bf16-lmdb-none`."""
    return "-".join(answers.values())


def pairs(answers: Answers) -> set[tuple[tuple[str, str], ...]]:
    """Each two answers that the set brings together."""
    return set(itertools.combinations(answers.items(), 2))


def covering(sets: list[Answers]) -> list[Answers]:
    """Few sets in which each two choices meet: greedily the one with the most new pairs."""
    open_pairs = set().union(*map(pairs, sets))
    chosen = []
    while open_pairs:
        best = max(sets, key=lambda answers: len(pairs(answers) & open_pairs))
        open_pairs -= pairs(best)
        chosen.append(best)
    return chosen


SETS = every_set()
COVER = covering(SETS)
